/** The store that the settings name. */
import { join } from 'node:path';
import { memoryStore } from 'tallystick';
const NOTHING = () => undefined;
/** Opens the store. */
export async function openStore(config, log) {
    if (config.redis !== undefined)
        return openRedis(config, config.redis, log);
    const { requestRetentionMs } = config;
    const store = config.store === 'memory' ? memoryStore({ requestRetentionMs }) : await openSqlite(config, log);
    return { store, release: NOTHING };
}
async function openSqlite({ data, requestRetentionMs }, log) {
    const { sqliteStore } = await import('tallystick/sqlite');
    const onEvent = (event) => {
        if (event.type === 'fault')
            log.error(event, 'the store stopped at a fault; the next call opens the data again');
        else
            log.info(event, 'the data is open');
    };
    return sqliteStore({ path: join(data, 'counters.sqlite'), requestRetentionMs, onEvent });
}
async function openRedis({ partitions, requestRetentionMs }, target, log) {
    const { connectRedis } = await import("./redis.js");
    const { redisStore } = await import('tallystick/redis');
    const { client, close } = await connectRedis(target, log);
    try {
        return { store: await redisStore({ client, partitions, requestRetentionMs }), release: close };
    }
    catch (error) {
        close();
        throw error;
    }
}
//# sourceMappingURL=open-store.js.map