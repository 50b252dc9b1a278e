/** Where Redis is: `redis://[user:password@]host:port[/database]`, and its forms for Sentinel and Cluster. */
import { formatAddress, parseAddress, type Address } from './address.ts';

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

const URL_FORM = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^@/]+)(?:\/([^/]*))?$/;
const PORTS = { standalone: 6379, sentinel: 26_379, cluster: 6379 };
const HAS_PORT = /:\d+$/;

/** What is expected, for help and errors. */
export const REDIS_URL =
  'redis://host:port, redis+sentinel://host:port,host:port/master-name or redis+cluster://host:port,host:port (rediss for TLS; user:password@ before the first host)';

/** The deployment that `text` names; undefined when it names none. */
export function parseRedisTarget(text: string): RedisTarget | undefined {
  const [, scheme = '', form, userInfo, hosts = '', path = ''] = URL_FORM.exec(withoutRepeatedScheme(text)) ?? [];
  const topology = (form ?? 'standalone') as RedisTarget['topology'];
  const addresses = hosts.split(',').map((host) => parseAddress(HAS_PORT.test(host) ? host : `${host}:${PORTS[topology]}`));
  const place = placeOf(topology, path);
  const user = userOf(userInfo);
  if (scheme === '' || place === undefined || user === undefined || !addresses.every(isThere)) return undefined;
  if (topology === 'standalone' && addresses.length > 1) return undefined;
  return { topology, addresses, tls: scheme === 'rediss', ...user, ...place };
}

/** `target` as it is shown: without user and password. */
export function formatRedisTarget({ topology, addresses, tls, database, masterName }: RedisTarget): string {
  const scheme = (tls ? 'rediss' : 'redis') + (topology === 'standalone' ? '' : `+${topology}`);
  const path = masterName ?? database;
  return `${scheme}://${addresses.map(formatAddress).join(',')}${path === undefined ? '' : `/${path}`}`;
}

const isThere = (address: Address | undefined): address is Address => address !== undefined && address.port > 0;

/** `redis+cluster://a:1,redis+cluster://b:2` is the same list as `redis+cluster://a:1,b:2`. */
function withoutRepeatedScheme(text: string): string {
  const scheme = /^[a-z+]+:\/\//.exec(text)?.[0] ?? '';
  return scheme === '' ? text : text.replaceAll(`,${scheme}`, ',');
}

/** What stands after the hosts: a database, the name of a master, or nothing. */
function placeOf(topology: RedisTarget['topology'], path: string): Pick<RedisTarget, 'database' | 'masterName'> | undefined {
  if (topology === 'sentinel') return path === '' ? undefined : { masterName: path };
  if (path === '') return {};
  return topology === 'standalone' && /^\d{1,5}$/.test(path) ? { database: Number(path) } : undefined;
}

function userOf(userInfo: string | undefined): Pick<RedisTarget, 'username' | 'password'> | undefined {
  if (userInfo === undefined) return {};
  const colon = userInfo.indexOf(':');
  if (colon < 0) return undefined;
  try {
    const username = decodeURIComponent(userInfo.slice(0, colon));
    return { ...(username !== '' && { username }), password: decodeURIComponent(userInfo.slice(colon + 1)) };
  } catch {
    return undefined;
  }
}
