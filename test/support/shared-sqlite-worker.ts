/**
 * One worker thread for all SQLite stores of a test file. Starting a thread from source takes a few tenths
 * of a second, which is too much for a suite that opens a hundred stores. What runs in it is the worker's
 * own code; only the thread is shared, so a store must be closed and never killed here.
 */
import { EventEmitter } from 'node:events';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { StartWorker } from '../../packages/core/src/stores/sqlite/start-worker.ts';

const SERVING = new URL('../../packages/core/src/stores/sqlite/serving.ts', import.meta.url);

const CODE = `
  import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))}).then(async ({ register }) => {
    register();
    const { serve } = await import(${JSON.stringify(SERVING)});
    const { parentPort } = require('node:worker_threads');
    parentPort.on('message', ({ port, settings }) => serve(port, settings));
  });
`;

/** One port to the shared thread, with as much of a `Worker` as the store uses. */
class SharedWorker extends EventEmitter {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('message', (message) => this.emit('message', message));
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }

  ref(): void {
    this.#port.ref();
  }

  unref(): void {
    this.#port.unref();
  }

  terminate(): Promise<number> {
    this.#port.close();
    return Promise.resolve(0);
  }
}

/** Makes a `startWorker` whose stores share one thread. The thread ends with the process. */
export function sharedSqliteWorker(): StartWorker {
  const thread = new Worker(CODE, { eval: true });
  thread.unref();
  return (settings) => {
    const { port1, port2 } = new MessageChannel();
    thread.postMessage({ port: port2, settings }, [port2]);
    return new SharedWorker(port1) as unknown as Worker;
  };
}
