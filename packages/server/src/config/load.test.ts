import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from './load.ts';
import { flagOf, SETTING_NAMES, SETTINGS, variableOf, type Config } from './settings.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallystick-config-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const load = (flags: Record<string, string>, env: Record<string, string> = {}): Promise<Config> => loadConfig({ flags, env });

describe('loadConfig', () => {
  it('has a default for every setting', async () => {
    const config = await load({});
    assert.deepEqual(Object.keys(config), [...SETTING_NAMES]);
    assert.deepEqual(config, {
      http: { host: '127.0.0.1', port: 7070 },
      grpc: { host: '127.0.0.1', port: 7071 },
      store: 'sqlite',
      data: './tallystick-data',
      redis: undefined,
      partitions: 16,
      workers: 1,
      mysql: undefined,
      kafka: undefined,
      stages: 'on',
      journal: 'on',
      journalBackup: undefined,
      counters: {},
      limits: {},
      frequency: {},
      guard: 'on',
      guardIpPerMinute: 1000,
      guardUserPerMinute: 100,
      guardOperationsPerMinute: 100,
      guardDuplicateMs: 60_000,
      guardOnOutage: 'wait',
      trustedProxies: undefined,
      ipv6PrefixBits: 64,
      shedding: 'off',
      vipToken: undefined,
      rules: undefined,
      apiKeys: undefined,
      tlsCert: undefined,
      tlsKey: undefined,
      tlsClientCa: undefined,
      insecure: 'off',
      flushEveryMs: 100,
      nearTtlMs: 100,
      nearMaxEntries: 10_000,
      nearStaleIfErrorMs: 0,
      maxBatchItems: 1000,
      maxBodyBytes: 1_048_576,
      maxMessageBytes: 4 * 1024 * 1024,
      requestTimeoutMs: 5000,
      requestRetentionMs: 7_200_000,
      drainTimeoutMs: 15_000,
      logLevel: 'info',
    });
  });

  it('takes a flag over the environment, that over the file, that over the default', async () => {
    const path = await file('a.yaml', 'flushEveryMs: 1\nmaxBatchItems: 2\nmaxBodyBytes: 2048\nlogLevel: warn\n');
    const env = { TALLYSTICK_CONFIG: path, TALLYSTICK_FLUSH_EVERY_MS: '10', TALLYSTICK_MAX_BATCH_ITEMS: '20' };
    const { flushEveryMs, maxBatchItems, maxBodyBytes, logLevel, drainTimeoutMs } = await load({ flushEveryMs: '100' }, env);
    assert.deepEqual([flushEveryMs, maxBatchItems, maxBodyBytes, logLevel, drainTimeoutMs], [100, 20, 2048, 'warn', 15_000]);
  });

  it('reads YAML and JSON, an empty file too, and counter types', async () => {
    const counters = { 'read:*': { type: 'batched' }, 'like:*': { min: 0 } };
    const yaml = await file('b.yml', "counters:\n  'read:*': { type: batched }\n  'like:*': { min: 0 }\nhttp: '[::1]:80'\n");
    assert.deepEqual((await load({ config: yaml })).counters, counters);
    assert.deepEqual((await load({ config: yaml })).http, { host: '::1', port: 80 });
    assert.deepEqual((await load({ config: await file('b.json', JSON.stringify({ counters })) })).counters, counters);
    assert.deepEqual((await load({ counters: JSON.stringify(counters) })).counters, counters);
    assert.equal((await load({ config: await file('empty.yaml', '') })).flushEveryMs, 100);
  });

  it('refuses what it does not know, in the file and in the environment, and says what was meant', async () => {
    const path = await file('c.yaml', 'flushEveryMS: 1\n');
    await assert.rejects(load({ config: path }), { code: 'INVALID_CONFIG', field: 'flushEveryMS', message: /flushEveryMS \(in .*c\.yaml\): no such setting; did you mean flushEveryMs\?/ });
    await assert.rejects(load({}, { TALLYSTICK_HTPT: 'x' }), { code: 'INVALID_CONFIG', field: 'TALLYSTICK_HTPT', message: /did you mean TALLYSTICK_HTTP\?/ });
    await assert.rejects(load({ config: await file('proto.yaml', '__proto__: { a: 1 }\n') }), { code: 'INVALID_CONFIG', field: '__proto__' });
    assert.equal((await load({}, { PATH: '/bin', TALLY: '1' })).flushEveryMs, 100);
  });

  it('refuses an impossible value, naming where it was written and what was expected', async () => {
    const path = await file('d.yaml', 'maxBatchItems: 1.5\n');
    await assert.rejects(load({ config: path }), { field: 'maxBatchItems', message: /maxBatchItems \(in .*d\.yaml\): expected an integer from 1 to 10000, got 1\.5/ });
    await assert.rejects(load({}, { TALLYSTICK_GRPC: 'here' }), { field: 'grpc', message: 'TALLYSTICK_GRPC: expected host:port, got "here"' });
    await assert.rejects(load({ flushEveryMs: '0' }), { field: 'flushEveryMs', message: '--flush-every-ms: expected an integer from 1 to 60000, got "0"' });
    for (const bad of ['', ' 5', '5ms', '0x10', '-1', '1e2', '5.0']) await assert.rejects(load({ flushEveryMs: bad }), { code: 'INVALID_CONFIG' }, bad);
    for (const [name, bad] of Object.entries({ store: 'disk', logLevel: 'INFO', data: '', counters: '[]', http: '1' })) {
      await assert.rejects(load({ [name]: bad }), { code: 'INVALID_CONFIG', field: name });
    }
  });

  it('takes the store from the URL of a Redis', async () => {
    const { store, redis, workers, partitions } = await load({ redis: 'redis://h:1', workers: '4', partitions: '8' });
    assert.deepEqual([store, redis?.addresses, workers, partitions], ['redis', [{ host: 'h', port: 1 }], 4, 8]);
    assert.equal((await load({ redis: 'redis://h:1', store: 'redis' })).store, 'redis');
  });

  it('refuses settings that contradict each other', async () => {
    await assert.rejects(load({ redis: 'redis://h:1', store: 'memory' }), { field: 'store', message: 'store: expected redis, as redis is set, got memory' });
    await assert.rejects(load({ store: 'redis' }), { field: 'redis', message: /expected the URL of a server/ });
    await assert.rejects(load({ partitions: '4' }), { field: 'partitions' });
    await assert.rejects(load({ workers: '2' }), { field: 'workers', message: /expected 1 with the sqlite store, as one process owns its data, got 2/ });
    await assert.rejects(load({ workers: '2', store: 'memory' }), { field: 'workers', message: /each process would have counters of its own/ });
  });

  it('does not show a value that may hold a password', async () => {
    const place = { TALLYSTICK_REDIS: 'redis://ada:secret@h:x' };
    await assert.rejects(load({}, place), (error: Error) => error.message.startsWith('TALLYSTICK_REDIS: expected redis://') && !error.message.includes('secret'));
  });

  it('refuses a file that is not there, is no YAML or holds no settings', async () => {
    const files = [join(folder, 'absent.yaml'), await file('e.yaml', 'a: [1\n'), await file('twice.yaml', 'data: a\ndata: b\n'), await file('f.json', '{'), await file('g.yaml', '- 1\n')];
    for (const config of files) await assert.rejects(load({ config }), { code: 'INVALID_CONFIG', field: 'config' }, config);
  });
});

describe('the table of settings', () => {
  it('has a default that its own kind accepts', () => {
    const withDefault = SETTING_NAMES.filter((name) => SETTINGS[name].fallback !== '');
    for (const name of withDefault) assert.notEqual(SETTINGS[name].kind.read(SETTINGS[name].fallback), undefined, name);
  });

  it('writes names for flags and environment', () => {
    assert.equal(flagOf('maxBodyBytes'), 'max-body-bytes');
    assert.equal(variableOf('maxBodyBytes'), 'TALLYSTICK_MAX_BODY_BYTES');
  });
});
