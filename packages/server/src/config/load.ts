/** Reads the configuration: flags over environment over file over defaults. */
import { readFile } from 'node:fs/promises';
import { TallystickError } from 'tallystick';
import { formatAddress, isLoopback } from './address.ts';
import { nearest } from './nearest.ts';
import { SETTING_NAMES, SETTINGS, flagOf, variableOf, type Config } from './settings.ts';

/** Where settings come from. */
export interface Surroundings {
  /** Values of flags by setting name, and `config`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One place that may hold settings. */
interface Place {
  readonly values: Readonly<Record<string, unknown>>;
  /** How the place writes the setting, for errors. */
  readonly written: (name: string) => string;
}

/** A variable that is no setting of a node: where the file is, and which node the commands talk to. */
const OTHER_VARIABLES = ['TALLYSTICK_CONFIG', 'TALLYSTICK_SERVER', 'TALLYSTICK_API_KEY'];
const KNOWN_VARIABLES = [...SETTING_NAMES.map(variableOf), ...OTHER_VARIABLES];

/**
 * The checked settings of a node.
 *
 * @throws TallystickError `INVALID_CONFIG`, saying which setting, where it was written and what was expected.
 */
export async function loadConfig({ flags, env }: Surroundings): Promise<Config> {
  const file = flags['config'] ?? env['TALLYSTICK_CONFIG'];
  const places: Place[] = [{ values: flags, written: (name) => `--${flagOf(name)}` }, environment(env)];
  if (file !== undefined) places.push(await settingsFile(file));
  const config = Object.fromEntries(SETTING_NAMES.map((name) => [name, settingOf(name, places)])) as unknown as Config;
  return checkTogether(config, (name) => places.some(({ values }) => values[name] !== undefined));
}

const NEAR = ['nearTtlMs', 'nearMaxEntries', 'nearStaleIfErrorMs'] as const;

/** Refuses settings that contradict each other, or would have no effect. */
function checkTogether(config: Config, isGiven: (name: keyof Config) => boolean): Config {
  checkWire(config);
  const { redis, store, workers } = config;
  if (redis !== undefined) {
    if (isGiven('store') && store !== 'redis') throw invalid('store', `store: expected redis, as redis is set, got ${store}`);
    return { ...config, store: 'redis' };
  }
  if (store === 'redis') throw invalid('redis', 'redis: expected the URL of a server, as store is redis, got nothing');
  if (isGiven('partitions')) throw invalid('partitions', `partitions: expected nothing with the ${store} store: only data in Redis is split`);
  const ofRedis = (['journal', 'journalBackup', 'mysql', 'kafka', 'stages'] as const).find(isGiven);
  if (ofRedis !== undefined) throw invalid(ofRedis, `${ofRedis}: expected nothing with the ${store} store, which is its own log`);
  const near = NEAR.find(isGiven);
  if (near !== undefined) throw invalid(near, `${near}: expected nothing with the ${store} store: only what is in Redis is worth copies`);
  if (workers === 1) return config;
  const why = store === 'sqlite' ? 'one process owns its data' : 'each process would have counters of its own';
  throw invalid('workers', `workers: expected 1 with the ${store} store, as ${why}, got ${workers}; --redis shares counters among processes`);
}

/** Clear text for other machines is refused unless it was asked for, and half a certificate always. */
function checkWire({ http, grpc, tlsCert, tlsKey, tlsClientCa, insecure }: Config): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const missing = tlsCert === undefined ? 'tlsCert' : 'tlsKey';
    throw invalid(missing, `${missing}: expected a file, as a certificate and its key belong together, got nothing`);
  }
  if (tlsCert !== undefined) return;
  if (tlsClientCa !== undefined) throw invalid('tlsClientCa', 'tlsClientCa: expected nothing without tlsCert and tlsKey');
  for (const [name, address] of Object.entries({ http, grpc })) {
    if (insecure === 'on' || isLoopback(address)) continue;
    const how = 'tlsCert and tlsKey make it private, insecure: on (--insecure on) allows clear text';
    throw invalid(name, `${name}: other machines can reach ${formatAddress(address)}, and it is in clear text: ${how}`);
  }
}

function settingOf<Name extends keyof Config>(name: Name, places: readonly Place[]): Config[Name] {
  const { kind, fallback } = SETTINGS[name];
  for (const { values, written } of places) {
    const value = values[name];
    if (value === undefined) continue;
    const read = kind.read(value);
    if (read !== undefined) return read;
    const got = kind.isSecret === true ? 'something else (not shown: it may hold a password)' : JSON.stringify(value);
    throw invalid(name, `${written(name)}: expected ${kind.expected}, got ${got}`);
  }
  return (fallback === '' ? undefined : kind.read(fallback)) as Config[Name];
}

function environment(env: Surroundings['env']): Place {
  for (const variable of Object.keys(env)) {
    if (variable.startsWith('TALLYSTICK_') && !KNOWN_VARIABLES.includes(variable)) throw unknown(variable, KNOWN_VARIABLES);
  }
  const values = Object.fromEntries(SETTING_NAMES.map((name) => [name, env[variableOf(name)]]));
  return { values, written: variableOf };
}

async function settingsFile(file: string): Promise<Place> {
  const values = await parsedFile(file);
  if (typeof values !== 'object' || values === null || Array.isArray(values)) throw invalid('config', `${file}: expected settings by name`);
  for (const name of Object.keys(values)) {
    if (!SETTING_NAMES.includes(name as keyof Config)) throw unknown(name, SETTING_NAMES, ` (in ${file})`);
  }
  return { values: values as Record<string, unknown>, written: (name) => `${name} (in ${file})` };
}

async function parsedFile(file: string): Promise<unknown> {
  try {
    const text = await readFile(file, 'utf8');
    if (file.endsWith('.json')) return JSON.parse(text) as unknown;
    const { parse } = await import('yaml');
    return parse(text) ?? {};
  } catch (cause) {
    throw invalid('config', `${file}: expected a file of settings in YAML or JSON: ${(cause as Error).message}`, cause);
  }
}

function unknown(name: string, names: readonly string[], where = ''): TallystickError {
  return invalid(name, `${name}${where}: no such setting; did you mean ${nearest(name, names)}?`);
}

function invalid(field: string, message: string, cause?: unknown): TallystickError {
  return new TallystickError('INVALID_CONFIG', message, { field, cause });
}
