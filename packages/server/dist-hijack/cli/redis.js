/**
 * Connections to Redis. The client connects again by itself when a connection is lost; it never sends a command
 * twice, because that is for the lanes to decide, and it keeps none while it is not connected.
 */
import { createClient, createSentinel } from 'redis';
import { TallystickError } from 'tallystick';
import { formatRedisTarget } from "../config/index.js";
const CONNECT_TIMEOUT_MS = 5000;
const FIRST_RECONNECT_MS = 50;
const SLOWEST_RECONNECT_MS = 1000;
/**
 * Connects.
 *
 * @throws TallystickError `STORE_UNAVAILABLE`, field `redis`, when the first try fails.
 */
export async function connectRedis(target, log) {
    const link = unconnected(target);
    const outages = new Outages(formatRedisTarget(target), log);
    link.tell(outages);
    try {
        await link.connect();
        outages.over();
        return link;
    }
    catch (cause) {
        link.close();
        const { message, code } = cause;
        const why = message === '' ? code : message; // several addresses of one name fail without a message
        throw new TallystickError('STORE_UNAVAILABLE', `redis: can't use ${formatRedisTarget(target)}: ${why}`, { field: 'redis', cause });
    }
}
function unconnected(target) {
    switch (target.topology) {
        case 'standalone':
            return standaloneOf(target);
        case 'sentinel':
            return sentinelOf(target);
        case 'cluster':
            throw new TallystickError('INVALID_CONFIG', 'redis: a node can not use a Cluster yet; expected redis:// or redis+sentinel://', { field: 'redis' });
    }
}
function standaloneOf(target) {
    const { host, port } = target.addresses[0];
    let connected = false;
    const reconnectStrategy = (retries, cause) => (connected ? delayMs(retries) : cause);
    const { socket, ...common } = optionsOf(target);
    const client = createClient({ ...common, socket: { ...socket, host, port, reconnectStrategy } });
    const connect = async () => {
        await client.connect();
        connected = true;
    };
    const tell = (outages) => {
        client.on('error', ({ message }) => outages.begin(message));
        client.on('ready', () => outages.over());
    };
    return { client, tell, connect, close: () => { if (client.isOpen)
            client.destroy(); } };
}
/** The user is one of the servers; Sentinels are asked without. */
function sentinelOf(target) {
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
    const client = {
        get isReady() {
            return sentinel.isReady;
        },
        sendCommand: (args, options) => sentinel.sendCommand(false, args, options), // it changes nothing in them
    };
    const tell = (outages) => {
        sentinel.on('error', (error) => outages.begin(error instanceof Error ? error.message : String(error)));
        sentinel.on('topology-change', ({ type }) => {
            if (type === 'MASTER_CHANGE')
                outages.over();
        });
    };
    return { client, tell, connect: () => sentinel.connect(), close: () => { if (sentinel.isOpen)
            sentinel.destroy().catch(() => undefined); } };
}
function optionsOf({ username, password, database, tls }) {
    return {
        disableOfflineQueue: true,
        socket: { connectTimeout: CONNECT_TIMEOUT_MS, ...(tls && { tls }) },
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password }),
        ...(database !== undefined && { database }),
    };
}
const delayMs = (retries) => Math.min(FIRST_RECONNECT_MS * 2 ** Math.min(retries, 10), SLOWEST_RECONNECT_MS);
/** Says once that Redis is away and once that it is back, however often was tried between. */
class Outages {
    #redis;
    #log;
    #away;
    constructor(redis, log) {
        this.#redis = redis;
        this.#log = log;
    }
    begin(reason) {
        if (this.#away === false)
            this.#log.warn({ redis: this.#redis, reason }, 'Redis is away');
        if (this.#away !== undefined)
            this.#away = true;
    }
    over() {
        if (this.#away === true)
            this.#log.info({ redis: this.#redis }, 'Redis is there again');
        this.#away = false;
    }
}
//# sourceMappingURL=redis.js.map