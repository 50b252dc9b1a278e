/** How the worker thread is started: built, from JavaScript; in this repository, from source, as well. */
import { Worker } from 'node:worker_threads';
import type { WorkerSettings } from './protocol.ts';

/** Starts a worker thread. Tests keep hold of it, to end it. */
export type StartWorker = (settings: WorkerSettings) => Worker;

/** Node 20 does not hand the loader of TypeScript on to threads: the thread registers it before it imports `file`. */
function startFromSource(file: URL, settings: WorkerSettings): Worker {
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const code = `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(file)}); })`;
  return new Worker(code, { eval: true, workerData: settings });
}

export const startWorker: StartWorker = (settings) => {
  const isSource = import.meta.url.endsWith('.ts');
  if (isSource) return startFromSource(new URL('./worker.ts', import.meta.url), settings);
  return new Worker(new URL('./worker.js', import.meta.url), { workerData: settings });
};
