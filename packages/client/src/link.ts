/** The connection to a node. */
import { Client as Channel, connectivityState, credentials, type ClientDuplexStream } from '@grpc/grpc-js';
import { TallystickError } from 'tallystick';
import { Fault, faultOf } from './fault.ts';
import type { Settings } from './options.ts';
import type { Method } from './wire/index.ts';

const FIRST_RECONNECT_MS = 50;
const SLOWEST_RECONNECT_MS = 1000;

/** A channel that connects when something is to be sent, and again when it is lost. */
export class Link {
  readonly #address: string;
  readonly #channel: Channel;

  constructor({ address, credentials: given, keepaliveMs }: Settings) {
    this.#address = address;
    this.#channel = new Channel(address, given ?? credentials.createInsecure(), {
      'grpc.initial_reconnect_backoff_ms': FIRST_RECONNECT_MS,
      'grpc.max_reconnect_backoff_ms': SLOWEST_RECONNECT_MS,
      'grpc.keepalive_time_ms': keepaliveMs,
      'grpc.keepalive_timeout_ms': keepaliveMs,
      // A connection of its own, which ends with the client.
      'grpc.use_local_subchannel_pool': 1,
      // What is sent again, and when, is decided in one place: coalescer.ts.
      'grpc.enable_retries': 0,
      'grpc.enable_channelz': 0,
    });
  }

  /** Waits for a connection. @throws Fault when there is none by `deadlineMs`: nothing was sent. */
  ready(deadlineMs: number): Promise<void> | undefined {
    if (this.#channel.getChannel().getConnectivityState(false) === connectivityState.READY) return undefined;
    return new Promise((resolve, reject) => {
      this.#channel.waitForReady(deadlineMs, (error) => {
        if (error === undefined) resolve();
        else reject(new Fault(new TallystickError('TIMEOUT', this.#noConnection, { cause: error }), { again: false, lost: false }));
      });
    });
  }

  get #noConnection(): string {
    return `there is no connection to ${this.#address}; nothing was done`;
  }

  /** One call, once. @throws Fault */
  call<Request, Reply>(method: Method<Request, unknown, Reply>, request: Request, deadlineMs: number): Promise<Reply> {
    const { path, requestSerialize, responseDeserialize } = method;
    return new Promise((resolve, reject) => {
      this.#channel.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, { deadline: deadlineMs }, (error, reply) => {
        if (error !== null) reject(faultOf(error));
        else resolve(reply as Reply);
      });
    });
  }

  /** A stream in both directions. Its errors are read by {@link faultOf}. */
  stream<Request, Reply>(method: Method<Request, unknown, Reply>): ClientDuplexStream<Request, Reply> {
    const { path, requestSerialize, responseDeserialize } = method;
    return this.#channel.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  }

  close(): void {
    this.#channel.close();
  }
}
