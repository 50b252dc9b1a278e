/** The line to a worker thread: starts it, passes requests on, and hears its reports. */
import type { Worker } from 'node:worker_threads';
import { TallystickError } from '../../errors.ts';
import type { Failed, Opened, Report, Request, WorkerSettings } from './protocol.ts';
import { startWorker, type StartWorker } from './start-worker.ts';

/** Where the reports of an open worker go. */
export interface LinkEvents {
  readonly onReport: (report: Report) => void;
  /** The worker cannot go on, or has ended unasked. */
  readonly onFailure: (error: TallystickError) => void;
}

export class Link {
  readonly #worker: Worker;
  #isHeld = true;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /**
   * Starts a worker and waits until it has opened and checked the data.
   *
   * @throws TallystickError what the worker found wrong.
   */
  static async open(settings: WorkerSettings, start: StartWorker = startWorker): Promise<readonly [Link, Opened]> {
    const worker = start(settings);
    try {
      return [new Link(worker), await opened(worker)];
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  listen({ onReport, onFailure }: LinkEvents): void {
    this.#worker.on('message', (report: Report) => {
      if (report.type === 'failed') onFailure(errorOf(report));
      else onReport(report);
    });
    this.#worker.on('error', (error) => onFailure(ended(error)));
    this.#worker.on('exit', () => onFailure(ended()));
  }

  post(request: Request): void {
    this.#worker.postMessage(request);
  }

  /** Whether the process stays alive for the worker: it must while anybody waits for an answer. */
  hold(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) this.#worker.ref();
    else this.#worker.unref();
  }

  /** Ends the worker, which lets go of the data. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

function opened(worker: Worker): Promise<Opened> {
  return new Promise((resolve, reject) => {
    worker.once('message', (report: Report) => {
      if (report.type === 'opened') resolve(report);
      else reject(report.type === 'failed' ? errorOf(report) : ended());
    });
    worker.once('error', (error) => reject(ended(error)));
    worker.once('exit', () => reject(ended()));
  });
}

function errorOf({ code, message, field }: Failed): TallystickError {
  return new TallystickError(code, message, field === undefined ? {} : { field });
}

function ended(cause?: unknown): TallystickError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new TallystickError('STORE_UNAVAILABLE', `the worker thread of the SQLite store ended${reason}`, { cause });
}
