/**
 * Connections to Redis. The client connects again by itself when a connection is lost; it never sends a command
 * twice, because that is for the lanes to decide, and it keeps none while it is not connected.
 */
import { createClient, createSentinel, type RedisClientOptions } from 'redis';
import { TallystickError } from 'tallystick';
import type { RedisClient } from 'tallystick/redis';
import type { Log } from '../app/index.ts';
import { formatRedisTarget, type RedisTarget } from '../config/index.ts';

/** A connected client. */
export interface RedisLink {
  readonly client: RedisClient;
  /** Ends the connections; commands on their way are given up. */
  readonly close: () => void;
}

const CONNECT_TIMEOUT_MS = 5000;
const FIRST_RECONNECT_MS = 50;
const SLOWEST_RECONNECT_MS = 1000;

/**
 * Connects.
 *
 * @throws TallystickError `STORE_UNAVAILABLE`, field `redis`, when the first try fails.
 */
export async function connectRedis(target: RedisTarget, log: Log): Promise<RedisLink> {
  const link = unconnected(target);
  const outages = new Outages(formatRedisTarget(target), log);
  link.tell(outages);
  try {
    await link.connect();
    outages.over();
    return link;
  } catch (cause) {
    link.close();
    const { message, code } = cause as NodeJS.ErrnoException;
    const why = message === '' ? code : message; // several addresses of one name fail without a message
    throw new TallystickError('STORE_UNAVAILABLE', `redis: can't use ${formatRedisTarget(target)}: ${why}`, { field: 'redis', cause });
  }
}

/** A client before it is connected. */
interface Unconnected extends RedisLink {
  readonly tell: (outages: Outages) => void;
  connect(): Promise<unknown>;
}

function unconnected(target: RedisTarget): Unconnected {
  switch (target.topology) {
    case 'standalone':
      return standaloneOf(target);
    case 'sentinel':
      return sentinelOf(target);
    case 'cluster':
      throw new TallystickError('INVALID_CONFIG', 'redis: a node can not use a Cluster yet; expected redis:// or redis+sentinel://', { field: 'redis' });
  }
}

function standaloneOf(target: RedisTarget): Unconnected {
  const { host, port } = target.addresses[0] as { host: string; port: number };
  let connected = false;
  const reconnectStrategy = (retries: number, cause: Error): number | Error => (connected ? delayMs(retries) : cause);
  const { socket, ...common } = optionsOf(target);
  const client = createClient({ ...common, socket: { ...socket, host, port, reconnectStrategy } });
  const connect = async (): Promise<void> => {
    await client.connect();
    connected = true;
  };
  const tell = (outages: Outages): void => {
    client.on('error', ({ message }: Error) => outages.begin(message));
    client.on('ready', () => outages.over());
  };
  return { client, tell, connect, close: () => { if (client.isOpen) client.destroy(); } };
}

/** The user is one of the servers; Sentinels are asked without. */
function sentinelOf(target: RedisTarget): Unconnected {
  const { addresses, masterName = '' } = target;
  const nodeClientOptions = optionsOf(target);
  const { socket } = nodeClientOptions;
  const sentinel = createSentinel({
    name: masterName,
    sentinelRootNodes: [...addresses],
    nodeClientOptions,
    sentinelClientOptions: { socket },
    // The connection is the store's own; else a command would wait for the answer of the one before.
    reserveClient: true,
    maxCommandRediscovers: 0,
  });
  const client: RedisClient = {
    get isReady() {
      return sentinel.isReady;
    },
    sendCommand: (args, options) => sentinel.sendCommand(false, args as (string | Buffer)[], options), // it changes nothing in them
  };
  const tell = (outages: Outages): void => {
    sentinel.on('error', (error: unknown) => outages.begin(error instanceof Error ? error.message : String(error)));
    sentinel.on('topology-change', ({ type }: { readonly type: string }) => {
      if (type === 'MASTER_CHANGE') outages.over();
    });
  };
  return { client, tell, connect: () => sentinel.connect(), close: () => { if (sentinel.isOpen) sentinel.destroy().catch(() => undefined); } };
}

function optionsOf({ username, password, database, tls }: RedisTarget): RedisClientOptions & { socket: object } {
  return {
    disableOfflineQueue: true,
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, ...(tls && { tls }) },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
  };
}

const delayMs = (retries: number): number => Math.min(FIRST_RECONNECT_MS * 2 ** Math.min(retries, 10), SLOWEST_RECONNECT_MS);

/** Says once that Redis is away and once that it is back, however often was tried between. */
class Outages {
  readonly #redis: string;
  readonly #log: Log;
  #away: boolean | undefined;

  constructor(redis: string, log: Log) {
    this.#redis = redis;
    this.#log = log;
  }

  begin(reason: string): void {
    if (this.#away === false) this.#log.warn({ redis: this.#redis, reason }, 'Redis is away');
    if (this.#away !== undefined) this.#away = true;
  }

  over(): void {
    if (this.#away === true) this.#log.info({ redis: this.#redis }, 'Redis is there again');
    this.#away = false;
  }
}
