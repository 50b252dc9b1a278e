/**
 * Connections to Redis. The client connects again by itself when a connection is lost; it never sends a command
 * twice, because that is for the lanes to decide, and it keeps none while it is not connected.
 */
import { createClient, type RedisClientOptions } from 'redis';
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
  const link = standaloneOf(target);
  tellOutages(link.events, formatRedisTarget(target), log);
  try {
    await link.connect();
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
  readonly events: Events;
  connect(): Promise<unknown>;
}

interface Events {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
}

function standaloneOf(target: RedisTarget): Unconnected {
  const { host, port } = target.addresses[0] as { host: string; port: number };
  let connected = false;
  const reconnectStrategy = (retries: number, cause: Error): number | Error => (connected ? delayMs(retries) : cause);
  const { socket, ...common } = optionsOf(target);
  const client = createClient({ ...common, socket: { ...socket, host, port, reconnectStrategy } });
  client.on('ready', () => {
    connected = true;
  });
  return { client, events: client, connect: () => client.connect(), close: () => { if (client.isOpen) client.destroy(); } };
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
function tellOutages(events: Events, redis: string, log: Log): void {
  let away: boolean | undefined;
  events.on('error', ({ message }) => {
    if (away === false) log.warn({ redis, reason: message }, 'Redis is away');
    away = true;
  });
  events.on('ready', () => {
    log.info({ redis }, away === undefined ? 'Redis is there' : 'Redis is there again');
    away = false;
  });
}
