/**
 * Kinds of settings: how a value is read, from text (environment, flags) as from a file, and how it is
 * described. A reader returns undefined for what it does not understand.
 */
import type { CounterOptions, LimitOptions } from 'tallystick';
import { parseNetwork, type BusinessDeclarations, type Network, digestOf, ROLES, type ApiKey } from '../app/index.ts';
import { parseAddress, type Address } from './address.ts';
import { MYSQL_URL, parseMysqlTarget, type MysqlTarget } from './mysql-target.ts';
import { parseRedisTarget, REDIS_URL, type RedisTarget } from './redis-target.ts';

/** How a setting is read and described. */
export interface Kind<Value> {
  /** What is expected, for help and errors: `an integer from 1 to 10`. */
  readonly expected: string;
  /** Placeholder in the help. */
  readonly placeholder: string;
  readonly read: (value: unknown) => Value | undefined;
  /** Whether a value may hold a password: errors then do not show it. */
  readonly isSecret?: boolean;
}

/** `host:port`. */
export const address: Kind<Address> = {
  expected: 'host:port',
  placeholder: 'host:port',
  read: (value) => (typeof value === 'string' ? parseAddress(value) : undefined),
};

/** Where Redis is. */
export const redisUrl: Kind<RedisTarget> = {
  expected: REDIS_URL,
  placeholder: 'url',
  read: (value) => (typeof value === 'string' ? parseRedisTarget(value) : undefined),
  isSecret: true,
};

/** Addresses and networks. */
export const networks: Kind<readonly Network[]> = {
  expected: 'addresses or networks such as 10.0.0.0/8, with commas between them',
  placeholder: 'networks',
  read: (value) => {
    const list: readonly unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [undefined];
    const parsed = list.map((item) => (typeof item === 'string' ? parseNetwork(item.trim()) : undefined));
    return parsed.every((network) => network !== undefined) ? parsed : undefined;
  },
};

/** Where the ledger is. */
export const mysqlUrl: Kind<MysqlTarget> = {
  expected: MYSQL_URL,
  placeholder: 'url',
  read: (value) => (typeof value === 'string' ? parseMysqlTarget(value) : undefined),
  isSecret: true,
};

/** Brokers to begin with. */
export const brokers: Kind<readonly string[]> = {
  expected: 'host:port of one or more brokers, with commas between them',
  placeholder: 'host:port,…',
  read: (value) => {
    const list: readonly unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [undefined];
    return list.every((item): item is string => typeof item === 'string' && parseAddress(item) !== undefined) ? list : undefined;
  },
};

/** A file or folder. */
export const path: Kind<string> = {
  expected: 'a path',
  placeholder: 'path',
  read: (value) => (typeof value === 'string' && value !== '' && !value.includes('\0') ? value : undefined),
};

const KEY_FIELDS = new Set(['name', 'role', 'sha256', 'key']);
/** Shorter ones can be guessed. */
const LEAST_KEY_CHARACTERS = 16;

/** API keys, as a list of objects; as text, JSON. */
export const apiKeys: Kind<readonly ApiKey[]> = {
  expected: `a list (as text: JSON) of {name, role: ${ROLES.join(' or ')}, sha256 or key}, a key of at least ${LEAST_KEY_CHARACTERS} characters`,
  placeholder: 'json',
  read: (value) => {
    const parsed = typeof value === 'string' ? parsedJson(value) : value;
    const keys = Array.isArray(parsed) ? parsed.map(apiKeyOf) : [];
    return keys.length > 0 && keys.every((key) => key !== undefined) ? keys : undefined;
  },
  isSecret: true,
};

function apiKeyOf(value: unknown): ApiKey | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).some((field) => !KEY_FIELDS.has(field))) return undefined;
  const { name, role, sha256, key } = value as Partial<Record<string, unknown>>;
  const known = ROLES.find((one) => one === role);
  const digest = typeof key === 'string' && key.length >= LEAST_KEY_CHARACTERS && !/\s/.test(key) ? digestOf(key) : sha256;
  if (typeof name !== 'string' || known === undefined || typeof digest !== 'string' || !/^[0-9a-f]{64}$/i.test(digest)) return undefined;
  return (key === undefined) === (sha256 === undefined) ? undefined : { name, role: known, sha256: digest };
}

/** A text that nobody else may know. */
export const secret: Kind<string> = {
  expected: '16 to 256 printable characters without spaces',
  placeholder: 'secret',
  read: (value) => (typeof value === 'string' && /^[\x21-\x7e]{16,256}$/.test(value) ? value : undefined),
  isSecret: true,
};

/** A whole number within bounds. */
export function integer(least: number, most: number): Kind<number> {
  const inBounds = (value: number): boolean => Number.isSafeInteger(value) && value >= least && value <= most;
  return {
    expected: `an integer from ${least} to ${most}`,
    placeholder: 'n',
    read: (value) => {
      const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
      return typeof number === 'number' && inBounds(number) ? number : undefined;
    },
  };
}

/** One of a few names. */
export function choice<Name extends string>(...names: readonly Name[]): Kind<Name> {
  return {
    expected: `one of ${names.join(', ')}`,
    placeholder: names.join('|'),
    read: (value) => names.find((name) => name === value),
  };
}

/** Options by name; as text, a JSON object. What the options mean is the library's to check. */
function optionsBy<Options>(what: string): Kind<Readonly<Record<string, Options>>> {
  return {
    expected: `an object of ${what} (as text: JSON)`,
    placeholder: 'json',
    read: (value) => {
      const parsed = typeof value === 'string' ? parsedJson(value) : value;
      const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
      return isObject && Object.values(parsed).every((options) => typeof options === 'object' && options !== null)
        ? (parsed as Readonly<Record<string, Options>>)
        : undefined;
    },
  };
}

/** Counter options by key pattern. */
export const counters = optionsBy<CounterOptions>('counter options by key pattern');

/** Choices of businesses by business_id. */
export const businesses = optionsBy<BusinessDeclarations[string]>('choices by business_id');

/** Limits by name. */
export const limits = optionsBy<LimitOptions>('limits by name');

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
