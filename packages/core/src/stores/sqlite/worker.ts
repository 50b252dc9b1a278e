/** The thread that does all SQL, so that a sync to disk never stalls the event loop of the application. */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { TallystickError } from '../../errors.ts';
import { openDatabase } from './database.ts';
import { Keeper } from './keeper.ts';
import type { Failed, Report, Request, WorkerSettings } from './protocol.ts';
import type { LogRecord } from './record.ts';

const port = parentPort as MessagePort;
const settings = workerData as WorkerSettings;
const report = (message: Report): void => port.postMessage(message);

/** Requests that came and are not yet done. */
const queue: Request[] = [];
let committedSinceTick = false;

function receive(): void {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    queue.push(next.message as Request);
  }
}

/** All commits at the head of the queue: they share one sync to disk. */
function takeCommits(): LogRecord[] {
  const records: LogRecord[] = [];
  for (let head = queue[0]; head?.type === 'commit'; head = queue[0]) {
    records.push(head.record);
    queue.shift();
  }
  return records;
}

function commit(keeper: Keeper): void {
  const records = takeCommits();
  committedSinceTick = true;
  keeper.commit(records);
  report({ type: 'committed', position: records.at(-1)!.position });
  keeper.absorb(records);
}

/** Time has passed. When nothing was committed in it, does what is left to do as long as nobody asks for anything. */
function tick(keeper: Keeper, nowMs: number): void {
  keeper.tick(nowMs);
  const isIdle = !committedSinceTick;
  committedSinceTick = false;
  while (isIdle && queue.length === 0 && keeper.idle()) receive();
}

function close(keeper: Keeper, nowMs: number): void {
  keeper.close(nowMs);
  report({ type: 'closed' });
  port.close();
}

function serve(keeper: Keeper): void {
  receive();
  for (let head = queue[0]; head !== undefined; head = queue[0]) {
    if (head.type === 'commit') {
      commit(keeper);
      receive();
      continue;
    }
    queue.shift();
    if (head.type === 'load') report(keeper.load(head));
    else if (head.type === 'tick') tick(keeper, head.nowMs);
    else close(keeper, head.nowMs);
  }
}

function failureOf(error: unknown): Failed {
  const fault = error instanceof TallystickError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return { type: 'failed', code: fault?.code ?? 'STORE_UNAVAILABLE', message, field: fault?.field };
}

/** Reports a fault; the store then ends this thread and recovers in a new one. */
function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    report(failureOf(error));
    port.close();
  }
}

try {
  const database = await openDatabase(settings, () => settings.nowMs);
  guarded(() => {
    const keeper = new Keeper(database, settings);
    report(keeper.recover());
    port.on('message', (first: Request) => {
      queue.push(first);
      guarded(() => serve(keeper));
    });
  });
} catch (error) {
  report(failureOf(error));
  port.close();
}
