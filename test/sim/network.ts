/**
 * The simulated network: what stands between a process and the store, as a {@link Store}.
 *
 * Requests of one connection arrive in their order, and so do their replies; those of different connections
 * (of other processes, or of one process before and after it reconnected) overtake each other. Requests and
 * replies get lost; a request may arrive a second time, up to {@link LATEST_COPY_MS} later. A process learns
 * of all that only by its time-outs.
 */
import { TallystickError } from '../../packages/core/src/errors.ts';
import type { Reading, Reply } from '../../packages/core/src/model/answer.ts';
import type { Batch } from '../../packages/core/src/model/batch.ts';
import type { Query } from '../../packages/core/src/model/operation.ts';
import type { Store } from '../../packages/core/src/store.ts';
import type { Server } from './server.ts';
import type { Life, World } from './world.ts';

/** How bad the network is. */
export interface Weather {
  /** Probabilities. */
  requestLost: number;
  replyLost: number;
  duplicated: number;
  /** That a time-out makes the process reconnect, which gives up everything on the old connection. */
  reconnects: number;
  /** That a process dies just before, or just after, it sends a request. */
  diesSending: number;
  leastDelayMs: number;
  mostDelayMs: number;
}

/** A second copy of a request comes at most so much later. */
const LATEST_COPY_MS = 3_000;

export const FAIR: Weather = { requestLost: 0, replyLost: 0, duplicated: 0, reconnects: 0, diesSending: 0, leastDelayMs: 1, mostDelayMs: 2 };

export interface Network {
  readonly world: World;
  readonly server: Server;
  readonly partitions: number;
  readonly timeoutMs: number;
  weather: Weather;
  /** Ends a process. */
  readonly kill: (life: Life) => void;
}

/** One connection: it holds the order in each direction, and everything that waits on it. */
interface Connection {
  readonly incarnation: number;
  arrivedMs: number;
  repliedMs: number;
  readonly pending: Set<(error: Error) => void>;
}

export class Link implements Store {
  readonly partitions: number;
  readonly mayLose = true;
  readonly #network: Network;
  readonly #life: Life;
  #connection: Connection | undefined;
  #closed = false;

  constructor(network: Network, life: Life) {
    this.partitions = network.partitions;
    this.#network = network;
    this.#life = life;
  }

  apply(batch: Batch): Promise<Reply> {
    return this.#call(`${batch.source}/${batch.partition}/${batch.seq}`, (server) => server.apply(batch));
  }

  read(_partition: number, queries: readonly Query[]): Promise<readonly Reading[]> {
    return this.#call(`read by ${this.#life.name}`, (server) => server.read(queries));
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#break('the link is closed');
    return Promise.resolve();
  }

  #call<T>(name: string, ask: (server: Server) => T): Promise<T> {
    if (this.#closed) return Promise.reject(new TallystickError('CLOSED', 'the link is closed'));
    const { world, weather, kill, timeoutMs } = this.#network;
    return new Promise((resolve, reject) => {
      const dies = world.random.chance(weather.diesSending) && this.#life.alive;
      if (dies && world.random.chance(0.5)) {
        kill(this.#life);
        return;
      }
      const connection = this.#connect();
      const fail = (error: Error): void => {
        callOff();
        connection.pending.delete(fail);
        reject(error);
      };
      const callOff = world.after(timeoutMs, () => {
        world.note(() => `${name} timed out`);
        if (world.random.chance(weather.reconnects)) this.#break('reconnecting');
        fail(unavailable('no reply in time'));
      });
      connection.pending.add(fail);
      this.#send(connection, ask, (result) => {
        if (!connection.pending.delete(fail) || !this.#life.alive) return;
        callOff();
        resolve(result);
      });
      if (dies) kill(this.#life);
    });
  }

  /** Delivers a request, and its reply, unless one of them is lost; and perhaps the request once more. */
  #send<T>(connection: Connection, ask: (server: Server) => T, reply: (result: T) => void): void {
    const { world, weather } = this.#network;
    const { random } = world;
    if (random.chance(weather.duplicated)) {
      const lateMs = random.between(0, LATEST_COPY_MS);
      world.after(lateMs, () => {
        if (this.#reaches(connection)) ask(this.#network.server);
      });
    }
    if (random.chance(weather.requestLost)) return;
    connection.arrivedMs = Math.max(connection.arrivedMs, world.nowMs + this.#delayMs());
    world.after(connection.arrivedMs - world.nowMs, () => {
      if (!this.#reaches(connection)) {
        world.after(this.#delayMs(), () => {
          if (this.#connection === connection) this.#break('refused');
        });
        return;
      }
      const result = ask(this.#network.server);
      if (random.chance(this.#network.weather.replyLost)) return;
      connection.repliedMs = Math.max(connection.repliedMs, world.nowMs + this.#delayMs());
      world.after(connection.repliedMs - world.nowMs, () => {
        reply(result);
      });
    });
  }

  #reaches({ incarnation }: Connection): boolean {
    const { server } = this.#network;
    return server.up && server.incarnation === incarnation;
  }

  #delayMs(): number {
    const { world, weather } = this.#network;
    return weather.leastDelayMs + world.random.next() * (weather.mostDelayMs - weather.leastDelayMs);
  }

  #connect(): Connection {
    this.#connection ??= { incarnation: this.#network.server.incarnation, arrivedMs: 0, repliedMs: 0, pending: new Set() };
    return this.#connection;
  }

  /** Gives up a connection: whoever waits on it is told that nothing is known. */
  #break(why: string): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined) return;
    for (const fail of [...connection.pending]) fail(unavailable(why));
  }
}

const unavailable = (why: string): TallystickError => new TallystickError('STORE_UNAVAILABLE', why);
