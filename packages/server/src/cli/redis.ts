/**
 * Connections to Redis. The client connects again by itself when a connection is lost; it never sends a command
 * twice, because that is for the lanes to decide, and it keeps none while it is not connected.
 */
import { createClient, createCluster, createSentinel, type RedisClientOptions } from 'redis';
import { TallystickError } from 'tallystick';
import { fromCluster, fromSentinel, type RedisClient } from 'tallystick/redis';
import type { Log } from '../app/index.ts';
import { formatRedisTarget, type Address, type RedisTarget } from '../config/index.ts';
import { Outages } from './outages.ts';

/** A connected client. */
export interface RedisLink {
  readonly client: RedisClient;
  /** Ends the connections; commands on their way are given up. */
  readonly close: () => void;
}

const CONNECT_TIMEOUT_MS = 5000;
/** A topology takes several connections one after the other. */
const START_TIMEOUT_MS = 3 * CONNECT_TIMEOUT_MS;
const FIRST_RECONNECT_MS = 50;
const SLOWEST_RECONNECT_MS = 1000;
/** A word of the Sentinels may be missed, so they are asked who is the primary. */
const SCAN_EVERY_MS = 1000;

/**
 * Connects.
 *
 * @throws TallystickError `STORE_UNAVAILABLE`, field `redis`, when the first try fails.
 */
export async function connectRedis(target: RedisTarget, log: Log): Promise<RedisLink> {
  const outages = new Outages(formatRedisTarget(target), log);
  const { connect, link, close } = OPENERS[target.topology](target, outages);
  try {
    await inTime(connect());
    outages.over();
    return { client: link(), close };
  } catch (cause) {
    close();
    const { message, code } = cause as NodeJS.ErrnoException;
    const why = outages.reason ?? (message === '' ? code : message); // several addresses of one name fail without a message
    throw new TallystickError('STORE_UNAVAILABLE', `redis: can't use ${formatRedisTarget(target)}: ${why}`, { field: 'redis', cause });
  }
}

/** A client before it is connected. */
interface Unconnected {
  readonly connect: () => Promise<unknown>;
  /** As the store uses it, once it is connected. */
  readonly link: () => RedisClient;
  readonly close: () => void;
}

const OPENERS: Record<RedisTarget['topology'], (target: RedisTarget, outages: Outages) => Unconnected> = { standalone, sentinel, cluster };

function standalone(target: RedisTarget, outages: Outages): Unconnected {
  const { host, port } = target.addresses[0] as Address;
  let connected = false;
  const reconnectStrategy = (retries: number, cause: Error): number | Error => (connected ? delayMs(retries) : cause);
  const { socket, ...common } = optionsOf(target);
  const client = createClient({ ...common, socket: { ...socket, host, port, reconnectStrategy } });
  client.on('error', outages.begin).on('ready', outages.over);
  const connect = async (): Promise<void> => {
    await client.connect();
    connected = true;
  };
  return { connect, link: () => client, close: () => { if (client.isOpen) client.destroy(); } };
}

/** The user is one of the servers; Sentinels are asked without. */
function sentinel(target: RedisTarget, outages: Outages): Unconnected {
  const { addresses, masterName = '' } = target;
  const nodeClientOptions = optionsOf(target);
  const { socket } = nodeClientOptions;
  const client = createSentinel({
    name: masterName,
    sentinelRootNodes: [...addresses],
    nodeClientOptions,
    sentinelClientOptions: { socket },
    // The connection is the store's own; else a command would wait for the answer of the one before.
    reserveClient: true,
    maxCommandRediscovers: 0,
    scanInterval: SCAN_EVERY_MS,
  });
  client.on('error', outages.begin).on('topology-change', ({ type }: { readonly type: string }) => {
    if (type === 'MASTER_CHANGE') outages.over();
  });
  const close = (): void => { if (client.isOpen) client.destroy().catch(() => undefined); };
  return { connect: () => client.connect(), link: () => fromSentinel(client), close };
}

/** The user is one of every node. */
function cluster(target: RedisTarget, outages: Outages): Unconnected {
  const { socket, ...common } = optionsOf(target);
  const client = createCluster({
    rootNodes: target.addresses.map(({ host, port }) => ({ socket: { host, port } })),
    defaults: { ...common, socket: { ...socket, reconnectStrategy: delayMs } },
  });
  client.on('error', outages.begin).on('node-error', outages.begin).on('node-ready', ({ host, port }: Address) => {
    outages.over();
    // Of a node that comes back at the same address, only its own client tells.
    client.nodeByAddress.get(`${host}:${port}`)?.client?.on('ready', outages.over);
  });
  return { connect: () => client.connect(), link: () => fromCluster(client), close: () => { if (client.isOpen) client.destroy(); } };
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

/** Clients of several servers try for ever where one of them is away. */
async function inTime(connected: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => { reject(new Error(`no connection within ${START_TIMEOUT_MS} ms`)); }, START_TIMEOUT_MS);
  });
  await Promise.race([connected, late]).finally(() => { clearTimeout(timer); });
}
