import type { RedisClient } from 'tallystick/redis';
import type { Log } from '../app/index.ts';
import { type RedisTarget } from '../config/index.ts';
/** A connected client. */
export interface RedisLink {
    readonly client: RedisClient;
    /** Ends the connections; commands on their way are given up. */
    readonly close: () => void;
}
/**
 * Connects.
 *
 * @throws TallystickError `STORE_UNAVAILABLE`, field `redis`, when the first try fails.
 */
export declare function connectRedis(target: RedisTarget, log: Log): Promise<RedisLink>;
//# sourceMappingURL=redis.d.ts.map