/** Where Redis is: `redis://[user:password@]host:port[/database]`, and its forms for Sentinel and Cluster. */
import { type Address } from './address.ts';
/** A deployment of Redis. */
export interface RedisTarget {
    readonly topology: 'standalone' | 'sentinel' | 'cluster';
    /** The server; the Sentinels; some nodes of the cluster. */
    readonly addresses: readonly Address[];
    readonly tls: boolean;
    readonly username?: string;
    readonly password?: string;
    readonly database?: number;
    /** The name under which Sentinels know the servers. */
    readonly masterName?: string;
}
/** What is expected, for help and errors. */
export declare const REDIS_URL = "redis://host:port or redis+sentinel://host:port,host:port/master-name (rediss for TLS; user:password@ before the first host)";
/** The deployment that `text` names; undefined when it names none. */
export declare function parseRedisTarget(text: string): RedisTarget | undefined;
/** `target` as it is shown: without user and password. */
export declare function formatRedisTarget({ topology, addresses, tls, database, masterName }: RedisTarget): string;
//# sourceMappingURL=redis-target.d.ts.map