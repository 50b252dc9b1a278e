/** Settings of a client. */
import { isIPv6 } from 'node:net';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { TallystickError } from 'tallystick';

/** Settings of {@link createClient}. */
export interface ClientOptions {
  /** `host:port` of a node, `[::1]:7071` with an IPv6 address. Default `127.0.0.1:7071`. */
  readonly address?: string;
  /** From `@grpc/grpc-js`; for TLS `credentials.createSsl()`. Default: no TLS. */
  readonly credentials?: ChannelCredentials;
  /** Sent with every call, to a node that asks for keys. 1 to 1,024 visible ASCII characters. In clear text unless `credentials` say TLS. Default: none. */
  readonly apiKey?: string;
  /** How long a call waits in milliseconds, where it does not say itself. 1 to 2,147,483,647; default 10,000. */
  readonly timeoutMs?: number;
  /**
   * Whether a write whose answer was lost is sent again until its time is up. Every write then carries a
   * request id, so that it counts once. A server remembers each id of the client's own for six times the
   * `timeoutMs` of its call, ten minutes at least, about 230 bytes in memory: where that is too much to keep, turn
   * this off, and a lost answer is an `OUTCOME_UNKNOWN`. Default true.
   */
  readonly retryWrites?: boolean;
  /** The most calls put into one message; no more than the server's limit. 1 to 10,000; default 500. */
  readonly maxBatchItems?: number;
  /** The most messages of one kind on their way at once. 1 to 64; default 4. */
  readonly maxInFlight?: number;
  /** The most calls that may wait; beyond, calls are refused with `OVERLOADED`. Default 100,000. */
  readonly maxPending?: number;
  /**
   * A connection with calls on it that is silent for so many milliseconds is asked whether it is alive, and
   * replaced when it does not answer within as many again. 100 to 3,600,000; default 4,000.
   */
  readonly keepaliveMs?: number;
}

/** The same with every default filled in. */
export type Settings = Required<Omit<ClientOptions, 'credentials' | 'apiKey'>> & Pick<ClientOptions, 'credentials' | 'apiKey'>;

/** Numbers by name: default, least, most. */
const NUMBERS = {
  timeoutMs: [10_000, 1, 2 ** 31 - 1],
  maxBatchItems: [500, 1, 10_000],
  maxInFlight: [4, 1, 64],
  maxPending: [100_000, 1, 10_000_000],
  keepaliveMs: [4000, 100, 3_600_000],
} as const;

/** A name or an address, IPv6 in brackets, and the port, which can't be left out: nothing says what it would be. */
const ADDRESS = /^(?:\[([\da-fA-F:.]+)\]|[^\s:/?#@[\]]+):(\d{1,5})$/;
const MAX_PORT = 65_535;

const OTHERS = ['address', 'credentials', 'apiKey', 'retryWrites'];

const invalid = (field: string, expected: string, got: unknown): TallystickError =>
  new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got ${typeof got === 'string' ? JSON.stringify(got) : String(got)}`, { field });

/** The default for a number that was not given. */
export function checkNumber(field: keyof typeof NUMBERS, value: unknown): number {
  const [preset, least, most] = NUMBERS[field];
  if (value === undefined) return preset;
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw invalid(field, `an integer from ${least} to ${most}`, value);
}

const isApiKey = (apiKey: unknown): boolean => typeof apiKey === 'string' && /^[\x21-\x7e]{1,1024}$/.test(apiKey);

function isAddress(address: unknown): boolean {
  const [, ipv6, port] = (typeof address === 'string' && ADDRESS.exec(address)) || [];
  return Number(port) >= 1 && Number(port) <= MAX_PORT && (ipv6 === undefined || isIPv6(ipv6));
}

/** @throws TallystickError `INVALID_CONFIG`, naming the setting. */
export function checkOptions(options: ClientOptions): Settings {
  const { address = '127.0.0.1:7071', retryWrites = true, credentials, apiKey } = options;
  const unknown = Object.keys(options).find((field) => !OTHERS.includes(field) && !Object.hasOwn(NUMBERS, field));
  if (unknown !== undefined) {
    const known = [...OTHERS, ...Object.keys(NUMBERS)].join(', ');
    throw new TallystickError('INVALID_CONFIG', `${unknown}: not an option; known are ${known}`, { field: unknown });
  }
  if (!isAddress(address)) throw invalid('address', 'host:port, such as 127.0.0.1:7071 or [::1]:7071', address);
  if (apiKey !== undefined && !isApiKey(apiKey)) throw invalid('apiKey', '1 to 1,024 visible ASCII characters', `a ${typeof apiKey} that is none`);
  if (typeof retryWrites !== 'boolean') throw invalid('retryWrites', 'true or false', retryWrites);
  return {
    address,
    retryWrites,
    ...(credentials !== undefined && { credentials }),
    ...(apiKey !== undefined && { apiKey }),
    timeoutMs: checkNumber('timeoutMs', options.timeoutMs),
    maxBatchItems: checkNumber('maxBatchItems', options.maxBatchItems),
    maxInFlight: checkNumber('maxInFlight', options.maxInFlight),
    maxPending: checkNumber('maxPending', options.maxPending),
    keepaliveMs: checkNumber('keepaliveMs', options.keepaliveMs),
  };
}
