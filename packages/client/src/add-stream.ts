/**
 * The stream that carries adds. It is opened by the first batch, and ended when nothing was sent for a while:
 * an open stream would keep the process alive. A batch whose stream ends before its answer came is lost.
 */
import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { TallystickError } from 'tallystick';
import type { Send } from './coalescer.ts';
import { faultOf, lost, refusalOf, refused, type Fault } from './fault.ts';
import type { Link } from './link.ts';
import type { AddRequest, Counted, StreamAddRequest, StreamAddResponse } from './wire/index.ts';
import { countersService } from './wire/index.ts';

const IDLE_MS = 500;
const IDS = 2 ** 32;
/** A tenth of the time is left for the answer's way back, and at most so much. */
const MOST_KEPT_BACK_MS = 50;

interface Unanswered {
  readonly resolve: (response: StreamAddResponse) => void;
  readonly reject: (fault: Fault) => void;
}

export class AddStream {
  readonly #link: Link;
  #stream: ClientDuplexStream<StreamAddRequest, StreamAddResponse> | undefined;
  /** Of the current stream, by id. */
  #unanswered = new Map<number, Unanswered>();
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Makes one attempt. @throws Fault */
  readonly send: Send<AddRequest, Counted> = async (calls) => {
    const nowMs = Date.now();
    const items = calls.map(({ item, deadlineMs }) => ({ ...item, timeoutMs: timeLeftMs(deadlineMs - nowMs) }));
    const { results, code, msg } = await this.#exchange(items);
    if (code !== undefined) throw refused(new TallystickError(code, msg ?? ''));
    return results.map((result) => {
      return result.outcome === 'refused' ? refusalOf(result) : result;
    });
  };

  /** Ends the stream; what is unanswered is lost. */
  close(): void {
    clearTimeout(this.#idle);
    this.#stream?.cancel();
  }

  #exchange(items: readonly AddRequest[]): Promise<StreamAddResponse> {
    clearTimeout(this.#idle);
    const stream = (this.#stream ??= this.#open());
    const id = (this.#lastId = (this.#lastId + 1) % IDS);
    return new Promise((resolve, reject) => {
      this.#unanswered.set(id, { resolve, reject });
      stream.write({ id, items });
    });
  }

  #open(): ClientDuplexStream<StreamAddRequest, StreamAddResponse> {
    const stream = this.#link.stream(countersService.StreamAdd);
    const unanswered = (this.#unanswered = new Map<number, Unanswered>());
    const over = (fault: Fault): void => {
      if (this.#stream === stream) this.#stream = undefined;
      for (const { reject } of unanswered.values()) reject(fault);
      unanswered.clear();
    };
    stream.on('data', (response: StreamAddResponse) => {
      unanswered.get(response.id)?.resolve(response);
      unanswered.delete(response.id);
      if (unanswered.size === 0) this.#rest(stream);
    });
    stream.on('error', (error: ServiceError) => over(faultOf(error)));
    stream.on('end', () => over(lost('it ended the stream')));
    return stream;
  }

  #rest(stream: ClientDuplexStream<StreamAddRequest, StreamAddResponse>): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.#stream === stream) this.#stream = undefined;
      stream.end();
    }, IDLE_MS).unref();
  }
}

/** What the server is told of the time that is left: a little less, so that its answer comes in time. */
function timeLeftMs(leftMs: number): number {
  return Math.max(1, Math.floor(leftMs - Math.min(MOST_KEPT_BACK_MS, leftMs / 10)));
}
