/**
 * StreamAdd: batches of unrelated adds over one stream. A batch is answered when all of its items are; the
 * next ones are read meanwhile, up to a limit, beyond which the stream is not read: HTTP/2 then holds the
 * client back.
 */
import type { handleBidiStreamingCall, ServerDuplexStream, Metadata } from '@grpc/grpc-js';
import { countersService, type StreamAddResponse } from '@tallystick/client/wire';
import { TallystickError } from 'tallystick';
import type { App } from '../app/index.ts';
import { addByItself } from './counters.ts';
import { inWireNames, refusalOf } from './refusal.ts';
import { timesOf, VIP_METADATA, type Surroundings } from './unary.ts';

type Stream = ServerDuplexStream<Buffer, StreamAddResponse>;

/** Batches of one stream that are read and whose reply is not written. */
const MAX_UNANSWERED = 16;

/** Settings of {@link StreamAdds}. */
export interface StreamAddsOptions extends Surroundings {
  readonly app: App;
  readonly maxBatchItems: number;
}

/** All open streams of a server. */
export class StreamAdds {
  readonly #options: StreamAddsOptions;
  /** By stream: how many of its batches are unanswered. */
  readonly #open = new Map<Stream, number>();
  #draining = false;

  constructor(options: StreamAddsOptions) {
    this.#options = options;
  }

  /** Serves one stream. */
  readonly handler: handleBidiStreamingCall<Buffer, StreamAddResponse> = (stream) => {
    const times = timesOf(this.#options.figures, countersService.StreamAdd.path);
    this.#open.set(stream, 0);
    stream.on('data', (bytes: Buffer) => {
      const began = performance.now();
      this.#taken(stream);
      void this.#answer(bytes, stream.metadata).then((reply) => {
        stream.write(reply, () => this.#answered(stream));
        times.observe((performance.now() - began) / 1000);
      });
    });
    stream.on('end', () => this.#endIfDone(stream));
    stream.on('cancelled', () => this.#open.delete(stream));
    if (this.#draining) this.#endIfDone(stream);
  };

  /** Answers what was taken, then ends every stream. What comes meanwhile is for the client to send elsewhere. */
  drain(): void {
    this.#draining = true;
    for (const stream of this.#open.keys()) {
      stream.pause();
      this.#endIfDone(stream);
    }
  }

  #taken(stream: Stream): void {
    const unanswered = (this.#open.get(stream) ?? 0) + 1;
    this.#open.set(stream, unanswered);
    if (unanswered >= MAX_UNANSWERED) stream.pause();
  }

  #answered(stream: Stream): void {
    const unanswered = this.#open.get(stream);
    if (unanswered === undefined) return;
    this.#open.set(stream, unanswered - 1);
    if (this.#draining) this.#endIfDone(stream);
    else stream.resume();
    if (stream.readableEnded) this.#endIfDone(stream);
  }

  #endIfDone(stream: Stream): void {
    if (this.#open.get(stream) !== 0) return;
    this.#open.delete(stream);
    stream.end();
  }

  /** The reply to one message; never rejects. */
  async #answer(bytes: Buffer, metadata: Metadata): Promise<StreamAddResponse> {
    let id = 0;
    try {
      const request = countersService.StreamAdd.parseRequest(bytes);
      id = request.id;
      const { app, log, shedding } = this.#options;
      shedding?.admit(metadata.get(VIP_METADATA)[0]?.toString());
      this.#checkLength(request.items.length);
      return { id, results: await Promise.all(request.items.map((item) => addByItself(app, item, log))) };
    } catch (error) {
      const refusal = refusalOf(error, this.#options.log);
      return { id, results: [], code: refusal.code, msg: inWireNames(refusal).message };
    }
  }

  #checkLength(length: number): void {
    const { maxBatchItems } = this.#options;
    if (length <= maxBatchItems) return;
    throw new TallystickError('BATCH_TOO_LARGE', `items: expected at most ${maxBatchItems}, got ${length}`, { field: 'items' });
  }
}
