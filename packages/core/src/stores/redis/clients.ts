/**
 * Clients of other shapes, as the store uses them. Each takes as little of a client as it needs.
 *
 * A store sends a batch again by itself, under its identity; a client that sends again, too, does no harm to the
 * count, but keeps what nobody waits for any more. What of that can be switched off is said with each.
 */
import { describe, TallystickError } from '../../errors.ts';
import type { RedisClient, SendOptions } from './client.ts';

/** As much of node-redis' `createSentinel` as is used. */
export interface SentinelClient {
  readonly isReady: boolean;
  /** The primary it is connected to; undefined while it is not. */
  getMasterNode(): unknown;
  sendCommand(isReadonly: boolean, args: readonly (string | Buffer)[], options?: SendOptions): Promise<unknown>;
}

/** As much of node-redis' `createCluster` as is used. */
export interface ClusterClient {
  readonly isOpen: boolean;
  sendCommand(firstKey: string | undefined, isReadonly: boolean, args: readonly (string | Buffer)[], options?: SendOptions): Promise<unknown>;
}

/** As much of ioredis' `Redis` or `Redis.Cluster` as is used. */
export interface IoredisClient {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options: object;
  callBuffer(command: string, ...args: (string | Buffer)[]): Promise<unknown>;
}

/**
 * A client of node-redis' `createSentinel`, connected. It should have `reserveClient: true` (else each command
 * waits for the one before), `maxCommandRediscovers: 0` (else it sends again by itself) and a `scanInterval`, so
 * that it finds the primary even where it missed the Sentinels' word of it.
 *
 * @throws TallystickError `INVALID_CONFIG`, field `sentinel`, when it is no such client.
 * @example redisStore({ client: fromSentinel(await createSentinel(options).connect()) })
 */
export function fromSentinel(sentinel: SentinelClient): RedisClient {
  check(sentinel, 'sentinel', 'getMasterNode', "a client of node-redis' createSentinel");
  return {
    get isReady() {
      // By itself it waits in a loop for a primary that is away, and asks the Sentinels all the time.
      return sentinel.isReady && sentinel.getMasterNode() !== undefined;
    },
    sendCommand: (args, options) => sentinel.sendCommand(false, args, options),
  };
}

/** The cluster client learns who has a slot from no other answer than `MOVED`: it is sought at most so often. */
const SEEK_EVERY_MS = 100;

/**
 * A client of node-redis' `createCluster`, connected. It should have `defaults: { disableOfflineQueue: true }`, else
 * commands to a node that is away are kept until it is back.
 *
 * @throws TallystickError `INVALID_CONFIG`, field `cluster`, when it is no such client.
 * @example redisStore({ client: fromCluster(await createCluster(options).connect()) })
 */
export function fromCluster(cluster: ClusterClient): RedisClient {
  check(cluster, 'cluster', 'nodeByAddress', "a client of node-redis' createCluster");
  let soughtAtMs = -Infinity;
  // A node that does not own the slot says who does, and the client then asks for all slots anew.
  const seek = (key: string): void => {
    const nowMs = performance.now();
    if (nowMs - soughtAtMs < SEEK_EVERY_MS) return;
    soughtAtMs = nowMs;
    cluster.sendCommand(undefined, false, ['EXISTS', key]).catch(() => undefined);
  };
  return {
    isCluster: true,
    get isReady() {
      return cluster.isOpen;
    },
    sendCommand: async (args, options, firstKey = '') => {
      try {
        return await cluster.sendCommand(firstKey, false, args, options);
      } catch (error) {
        if (!isAnswer(error)) seek(firstKey);
        throw error;
      }
    },
  };
}

/** Errors that an owner of the slot gives; after any other the slot may have another owner. */
const ANSWERED = /^(NOSCRIPT|OOM|WRONGTYPE|ERR|LOADING|BUSY|MISCONF|TRYAGAIN|NOPERM) /;

const isAnswer = (error: unknown): boolean => error instanceof Error && ANSWERED.test(error.message);

/**
 * A client of ioredis 5, on its own, over Sentinels or of a Cluster, connected. It must have
 * `autoResendUnfulfilledCommands: false`: it is the store that sends again.
 *
 * @throws TallystickError `INVALID_CONFIG`, field `ioredis`, when it is no such client or sends again by itself.
 * @example redisStore({ client: fromIoredis(new Redis({ autoResendUnfulfilledCommands: false })) })
 */
export function fromIoredis(ioredis: IoredisClient): RedisClient {
  check(ioredis, 'ioredis', 'callBuffer', 'a client of ioredis');
  const { options, isCluster = false } = ioredis;
  // A Cluster's nodes are never connected again with what was on its way.
  if (!isCluster && (!('autoResendUnfulfilledCommands' in options) || options.autoResendUnfulfilledCommands !== false)) {
    throw invalid('ioredis', 'a client with autoResendUnfulfilledCommands: false', options);
  }
  return {
    isCluster,
    get isReady() {
      return ioredis.status === 'ready';
    },
    sendCommand: ([command, ...args]) => ioredis.callBuffer(String(command), ...args),
  };
}

function check(client: unknown, field: string, method: string, expected: string): void {
  if (typeof client !== 'object' || client === null || !(method in client)) throw invalid(field, expected, client);
}

const invalid = (field: string, expected: string, got: unknown): TallystickError =>
  new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got ${describe(got)}`, { field });
