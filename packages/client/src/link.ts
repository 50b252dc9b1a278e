/** The connection to a node. */
import { Client as Channel, connectivityState, credentials, Metadata, status, type ClientDuplexStream } from '@grpc/grpc-js';
import { connectionFaultOf, Fault, faultOf, unsent } from './fault.ts';
import type { Settings } from './options.ts';
import { healthService, type Method } from './wire/index.ts';

const FIRST_RECONNECT_MS = 50;
const SLOWEST_RECONNECT_MS = 1000;

/** A channel that connects when something is to be sent, and again when it is lost. */
export class Link {
  readonly #address: string;
  readonly #channel: Channel;
  readonly #metadata = new Metadata();
  /** Why the last try to connect failed; undefined once one did not. */
  #connectionFault: string | undefined;

  constructor({ address, credentials: given, apiKey, keepaliveMs }: Settings) {
    this.#address = address;
    if (apiKey !== undefined) this.#metadata.set('authorization', `Bearer ${apiKey}`);
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
    this.#learnFault(deadlineMs);
    return new Promise((resolve, reject) => {
      this.#channel.waitForReady(deadlineMs, (error) => {
        if (error !== undefined) reject(new Fault(unsent(this.where), { again: false, lost: false }));
        else {
          this.#connectionFault = undefined;
          resolve();
        }
      });
    });
  }

  /** The address, and why it can't be reached when it can't. */
  get where(): string {
    return this.#connectionFault === undefined ? this.#address : `${this.#address}: ${this.#connectionFault}`;
  }

  /** One call, once. @throws Fault */
  call<Request, Reply>(method: Method<Request, unknown, Reply>, request: Request, deadlineMs: number): Promise<Reply> {
    const { path, requestSerialize, responseDeserialize } = method;
    return new Promise((resolve, reject) => {
      this.#channel.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, this.#metadata, { deadline: deadlineMs }, (error, reply) => {
        if (error !== null) reject(faultOf(error));
        else resolve(reply as Reply);
      });
    });
  }

  /** A stream in both directions. Its errors are read by {@link faultOf}. */
  stream<Request, Reply>(method: Method<Request, unknown, Reply>): ClientDuplexStream<Request, Reply> {
    const { path, requestSerialize, responseDeserialize } = method;
    return this.#channel.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, this.#metadata);
  }

  close(): void {
    this.#channel.close();
  }

  /** Notes why a try to connect failed, as soon as one did; grpc-js tells it to calls alone, so one is made. */
  #learnFault(deadlineMs: number): void {
    const channel = this.#channel.getChannel();
    const state = channel.getConnectivityState(false);
    if (state === connectivityState.TRANSIENT_FAILURE) this.#askFault(deadlineMs);
    else if (state === connectivityState.IDLE || state === connectivityState.CONNECTING) {
      channel.watchConnectivityState(state, deadlineMs, (error) => {
        if (error === undefined) this.#learnFault(deadlineMs);
      });
    }
  }

  /** The call does nothing, should it find a connection after all. */
  #askFault(deadlineMs: number): void {
    const { path, requestSerialize, responseDeserialize } = healthService.Check;
    this.#channel.makeUnaryRequest(path, requestSerialize, responseDeserialize, '', { deadline: deadlineMs }, (error) => {
      if (error?.code === status.UNAVAILABLE) this.#connectionFault = connectionFaultOf(error);
    });
  }
}
