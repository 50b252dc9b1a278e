/** Serves one database to one store: requests come in by a port and are answered in order. */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { TallystickError } from '../../errors.ts';
import { asTallystickError, openDatabase } from './database.ts';
import { Keeper } from './keeper.ts';
import { isCommit, recordOf, type Report, type Request, type WorkerSettings } from './protocol.ts';
import type { LogRecord } from './record.ts';

class Serving {
  readonly #port: MessagePort;
  readonly #keeper: Keeper;
  /** Requests that came and are not yet done. */
  readonly #queue: Request[] = [];
  #committedSinceTick = false;

  constructor(port: MessagePort, keeper: Keeper) {
    this.#port = port;
    this.#keeper = keeper;
  }

  /** Does what `first` asks, and everything that comes meanwhile. */
  serve(first: Request): void {
    this.#queue.push(first);
    this.#receive();
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      if (isCommit(head)) {
        this.#commit();
        this.#receive();
        continue;
      }
      this.#queue.shift();
      if (head.type === 'load') this.#report(this.#keeper.load(head));
      else if (head.type === 'tick') this.#tick(head.nowMs);
      else this.#close(head.nowMs);
    }
  }

  #report(message: Report): void {
    this.#port.postMessage(message);
  }

  #receive(): void {
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port)) {
      this.#queue.push(next.message as Request);
    }
  }

  #commit(): void {
    const records = this.#takeCommits();
    this.#committedSinceTick = true;
    this.#keeper.commit(records);
    this.#report({ type: 'committed', position: records.at(-1)!.position });
    this.#keeper.absorb(records);
  }

  /** All commits at the head of the queue: they share one sync to disk. */
  #takeCommits(): LogRecord[] {
    const records: LogRecord[] = [];
    for (let head = this.#queue[0]; head !== undefined && isCommit(head); head = this.#queue[0]) {
      records.push(recordOf(head));
      this.#queue.shift();
    }
    return records;
  }

  /** Time has passed. When nothing was committed in it, does what is left to do as long as nobody asks for anything. */
  #tick(nowMs: number): void {
    this.#keeper.tick(nowMs);
    const isIdle = !this.#committedSinceTick;
    this.#committedSinceTick = false;
    while (isIdle && this.#queue.length === 0 && this.#keeper.idle()) this.#receive();
  }

  #close(nowMs: number): void {
    this.#keeper.close(nowMs);
    // The store ends the thread when it has heard this: of a thread that ends by itself it may hear that first.
    this.#report({ type: 'closed' });
  }
}

/** Reports a fault. The store then ends the thread, which lets go of the data, and recovers in another. */
function fail(port: MessagePort, { code, message, field }: TallystickError): void {
  port.postMessage({ type: 'failed', code, message, field } satisfies Report);
  port.close();
}

function failureOf(error: unknown, path: string): TallystickError {
  if (error instanceof TallystickError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new TallystickError('STORE_UNAVAILABLE', `${path} failed: ${reason}`);
}

/** Opens the database, reports what was found, and serves until it is closed or fails. */
export async function serve(port: MessagePort, settings: WorkerSettings): Promise<void> {
  const { path } = settings;
  try {
    const keeper = new Keeper(await openDatabase(settings, () => settings.nowMs), settings);
    port.postMessage(keeper.recover() satisfies Report);
    const serving = new Serving(port, keeper);
    port.on('message', (request: Request) => {
      try {
        serving.serve(request);
      } catch (error) {
        fail(port, failureOf(error, path));
      }
    });
  } catch (error) {
    fail(port, asTallystickError(error, path));
  }
}
