/**
 * Every setting of a node: the one table from which the configuration is read and checked, and from which
 * the help and the reference are written.
 */
import type { ApiKey, BusinessDeclarations, Declarations, LimitDeclarations, Network } from '../app/index.ts';
import type { Address } from './address.ts';
import { address, apiKeys, brokers, businesses, choice, counters, integer, limits, mysqlUrl, networks, path, redisUrl, secret, type Kind } from './kinds.ts';
import type { MysqlTarget } from './mysql-target.ts';
import type { RedisTarget } from './redis-target.ts';

/** The settings of a node. */
export interface Config {
  readonly http: Address;
  readonly grpc: Address;
  /** `redis` when and only when `redis` is there. */
  readonly store: 'sqlite' | 'memory' | 'redis';
  readonly data: string;
  readonly redis: RedisTarget | undefined;
  readonly partitions: number;
  readonly workers: number;
  readonly mysql: MysqlTarget | undefined;
  readonly kafka: readonly string[] | undefined;
  readonly stages: 'on' | 'off';
  readonly journal: 'on' | 'off';
  readonly journalBackup: string | undefined;
  readonly counters: Declarations;
  readonly limits: LimitDeclarations;
  readonly frequency: BusinessDeclarations;
  readonly guard: 'on' | 'off';
  readonly guardIpPerMinute: number;
  readonly guardUserPerMinute: number;
  readonly guardOperationsPerMinute: number;
  readonly guardDuplicateMs: number;
  readonly guardOnOutage: 'wait' | 'open' | 'closed' | 'local';
  readonly trustedProxies: readonly Network[] | undefined;
  readonly ipv6PrefixBits: number;
  readonly shedding: 'on' | 'off';
  readonly vipToken: string | undefined;
  readonly rules: string | undefined;
  readonly apiKeys: readonly ApiKey[] | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly tlsClientCa: string | undefined;
  readonly insecure: 'off' | 'on';
  readonly flushEveryMs: number;
  readonly nearTtlMs: number;
  readonly nearMaxEntries: number;
  readonly nearStaleIfErrorMs: number;
  readonly maxBatchItems: number;
  readonly maxBodyBytes: number;
  readonly maxMessageBytes: number;
  readonly requestTimeoutMs: number;
  readonly requestRetentionMs: number;
  readonly drainTimeoutMs: number;
  readonly logLevel: LogLevel;
}

/** How much is logged. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** One setting. */
export interface Setting<Value> {
  readonly kind: Kind<Exclude<Value, undefined>>;
  /** As it would be written in the environment; empty when there is none. */
  readonly fallback: string;
  readonly meaning: string;
}

type Settings = { readonly [Name in keyof Config]: Setting<Config[Name]> };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** What a window counts exactly in its slices. */
const MOST_A_MINUTE = 1_000_000_000;
const MIB = 1024 * 1024;

/** The table. Its order is that of the help. */
export const SETTINGS: Settings = {
  http: { kind: address, fallback: '127.0.0.1:7070', meaning: 'Where HTTP listens. Port 0 takes any free one.' },
  grpc: { kind: address, fallback: '127.0.0.1:7071', meaning: 'Where gRPC listens. Port 0 takes any free one.' },
  store: {
    kind: choice('sqlite', 'memory', 'redis'),
    fallback: 'sqlite',
    meaning: 'Where counters live: on disk, durable when acknowledged; in memory, gone with the process; or in Redis, shared by many nodes (redis when redis is set).',
  },
  data: { kind: path, fallback: './tallystick-data', meaning: 'Folder of the sqlite store, for one process at a time; with Redis, of the journal.' },
  redis: { kind: redisUrl, fallback: '', meaning: 'The Redis that keeps the counters, instead of a disk. Its URL may hold a password and is better set in the environment.' },
  partitions: { kind: integer(1, 1024), fallback: '16', meaning: 'Parts into which data in Redis is split, fixed when it is created.' },
  workers: { kind: integer(1, 64), fallback: '1', meaning: 'Processes that share the ports; more than 1 need the counters in Redis.' },
  mysql: { kind: mysqlUrl, fallback: '', meaning: 'The database that keeps what Redis counts (the ledger). Its URL may hold a password and is better set in the environment.' },
  kafka: { kind: brokers, fallback: '', meaning: 'Kafka, which carries the log from Redis to the ledger; without it the log goes there directly.' },
  stages: {
    kind: choice('on', 'off'),
    fallback: 'on',
    meaning: 'Whether, with a ledger, this node takes part in carrying the log; off where tallystick sync does all of it.',
  },
  journal: {
    kind: choice('on', 'off'),
    fallback: 'on',
    meaning: 'Whether, with Redis, what is acknowledged is also on this disk (folder journal in data), so that it can be sent again.',
  },
  journalBackup: { kind: path, fallback: '', meaning: 'A folder, best on another disk, that full segments of the journal are copied to.' },
  counters: {
    kind: counters,
    fallback: '{}',
    meaning: 'Counter types by key: a whole key, or a beginning followed by * (the longest wins), each with type, min, max, ttlMs, windowMs, slices, shards, onOutage.',
  },
  limits: {
    kind: limits,
    fallback: '{}',
    meaning: 'Limits by name, each with algorithm, limit, windowMs or leaseMs, and slices, mode, align, burst.',
  },
  frequency: {
    kind: businesses,
    fallback: '{}',
    meaning: 'What businesses of frequency control choose, by business_id (* for the others): onOutage, maxAgeMs, staleIfErrorMs, timeZone.',
  },
  guard: { kind: choice('on', 'off'), fallback: 'on', meaning: 'Whether likes and unlikes pass a guard first. Its figures follow.' },
  guardIpPerMinute: { kind: integer(1, MOST_A_MINUTE), fallback: '1000', meaning: 'Likes and unlikes of one address (of one network with IPv6) in any minute.' },
  guardUserPerMinute: { kind: integer(1, MOST_A_MINUTE), fallback: '100', meaning: 'Likes of one user in any minute, and as many unlikes.' },
  guardOperationsPerMinute: { kind: integer(1, MOST_A_MINUTE), fallback: '100', meaning: 'Likes and unlikes of one user together in any minute.' },
  guardDuplicateMs: {
    kind: integer(0, DAY_MS),
    fallback: String(MINUTE_MS),
    meaning: 'For how long a user can not like, or unlike, the same again, in milliseconds; 0 for no time.',
  },
  guardOnOutage: {
    kind: choice('wait', 'open', 'closed', 'local'),
    fallback: 'wait',
    meaning: 'What the guard does while the store is away: wait for it, let pass, deny, or limit by what this node sees.',
  },
  trustedProxies: {
    kind: networks,
    fallback: '',
    meaning: 'Proxies whose X-Forwarded-For is believed: addresses or networks (10.0.0.0/8), as a list or with commas between them.',
  },
  ipv6PrefixBits: { kind: integer(1, 128), fallback: '64', meaning: 'IPv6 addresses that have so many first bits in common are one client.' },
  rules: { kind: path, fallback: '', meaning: 'File of rules, YAML or JSON, that gRPC callers such as Envoy are limited by. Changes hold within a second.' },
  shedding: {
    kind: choice('on', 'off'),
    fallback: 'off',
    meaning: 'Whether a node refuses a part of its calls while its event loop is busy: 10 % from 70 % of load, 30 % from 80 %, 50 % from 90 %.',
  },
  vipToken: { kind: secret, fallback: '', meaning: 'Calls that bring this as x-tallystick-vip are never shed. Better set in the environment.' },
  apiKeys: { kind: apiKeys, fallback: '', meaning: 'Who may call, over HTTP and gRPC; without it everybody may. Better set in the environment or a file than as a flag.' },
  tlsCert: { kind: path, fallback: '', meaning: 'Certificate chain (PEM) of HTTP and gRPC, which are private then.' },
  tlsKey: { kind: path, fallback: '', meaning: 'Private key (PEM) of the certificate.' },
  tlsClientCa: { kind: path, fallback: '', meaning: 'Authority (PEM) that signs the certificates of clients; a client without one is turned away.' },
  insecure: { kind: choice('off', 'on'), fallback: 'off', meaning: 'Whether other machines may be served in clear text.' },
  flushEveryMs: { kind: integer(1, MINUTE_MS), fallback: '100', meaning: 'Counters of type batched are flushed this often, in milliseconds.' },
  nearTtlMs: {
    kind: integer(0, 60 * MINUTE_MS),
    fallback: '100',
    meaning: 'With Redis: how old a copy may be that answers a read in the process, in milliseconds; a read may ask for less. 0: every read asks Redis.',
  },
  nearMaxEntries: { kind: integer(1, 1_000_000), fallback: '10000', meaning: 'Copies kept at most.' },
  nearStaleIfErrorMs: {
    kind: integer(0, DAY_MS),
    fallback: '0',
    meaning: 'How old a copy may be that stands in, marked as stale, while Redis does not answer, in milliseconds. 0: none does.',
  },
  maxBatchItems: { kind: integer(1, 10_000), fallback: '1000', meaning: 'The most items of one batch call.' },
  maxBodyBytes: { kind: integer(1024, 256 * MIB), fallback: String(MIB), meaning: 'The most bytes of one HTTP request body.' },
  maxMessageBytes: { kind: integer(1024, 256 * MIB), fallback: String(4 * MIB), meaning: 'The most bytes of one gRPC message to the node.' },
  requestTimeoutMs: {
    kind: integer(1, 10 * MINUTE_MS),
    fallback: '5000',
    meaning: 'The longest a call waits, in milliseconds. An add that is on its way by then is answered as accepted.',
  },
  requestRetentionMs: {
    kind: integer(1000, 366 * DAY_MS),
    fallback: String(120 * MINUTE_MS),
    meaning: 'How long the first answer to a request id is given again, in milliseconds.',
  },
  drainTimeoutMs: {
    kind: integer(1, 10 * MINUTE_MS),
    fallback: '15000',
    meaning: 'The longest a stopping node waits for answers and the store, in milliseconds.',
  },
  logLevel: { kind: choice('silent', 'error', 'warn', 'info', 'debug'), fallback: 'info', meaning: 'How much is logged, to standard error.' },
};

/** Their names. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly (keyof Config)[];

/** `maxBodyBytes` → `max-body-bytes`. */
export const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `maxBodyBytes` → `TALLYSTICK_MAX_BODY_BYTES`. */
export const variableOf = (name: string): string => `TALLYSTICK_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
