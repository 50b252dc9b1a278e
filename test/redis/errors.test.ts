// What the store makes of each error that a server gives: nothing is counted, nobody is denied, the fault is told,
// and the same batch is counted once when the server takes it. Scripts that are missing, foreign types, a full or a
// read-only server are in stores/redis/faults.test.ts; errors of a Cluster in cluster.test.ts.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { createClient } from 'redis';
import { createTallystick, TallystickError, type Store } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { makeCertificate } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, redisCommand } from '../support/redis-command.ts';
import { startRedis, type RedisDirectives, type RedisServer } from '../support/redis.ts';

type Client = ReturnType<typeof createClient>;

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function start(directives: RedisDirectives = {}): Promise<RedisServer> {
  const server = await startRedis(directives);
  endings.push(() => server.stop());
  return server;
}

async function connected(options: Parameters<typeof createClient>[0]): Promise<Client> {
  const client = createClient({ disableOfflineQueue: true, ...options });
  client.on('error', () => undefined);
  await client.connect();
  endings.push(() => { client.destroy(); });
  return client;
}

const PASSWORD = 'open-sesame';

/** A user who may do what the store needs, and a client of his. */
async function userOf(server: RedisServer, ...rules: string[]): Promise<Client> {
  await redisCommand(server.port, 'ACL', 'SETUSER', 'tally', 'on', `>${PASSWORD}`, '~{tally:*', '+@all', ...rules);
  return connected({ url: server.url, username: 'tally', password: PASSWORD, socket: { reconnectStrategy: 20 } });
}

const unavailable = (pattern: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof TallystickError);
  assert.deepEqual([error.code, error.transient], ['STORE_UNAVAILABLE', true]);
  assert.match(error.message, pattern);
  assert.doesNotMatch(error.message, new RegExp(PASSWORD));
  return true;
};

/** Applies batches of one source, of one plain add each, over and over the same until they are answered. */
function adder(store: Store): () => Promise<number> {
  let seq = 1;
  return async () => {
    const reply = await store.apply({ source: 's', partition: 0, seq, operations: [{ key: 'k', delta: 1 }] });
    assert.ok('values' in reply);
    seq++;
    return reply.values[0]!;
  };
}

describe('a Redis store whose server refuses', () => {
  for (const command of ['hset', 'hmget', 'evalsha']) {
    it(`counts nothing while its user may not run ${command}, and each batch once when he may (NOPERM)`, async () => {
      const server = await start();
      const add = adder(await redisStore({ client: await userOf(server), partitions: 1 }));
      assert.deepEqual([await add(), await add()], [1, 2]);
      await redisCommand(server.port, 'ACL', 'SETUSER', 'tally', `-${command}`);
      for (let i = 0; i < 3; i++) await assert.rejects(add(), unavailable(/NOPERM|can't run this command/));
      await redisCommand(server.port, 'ACL', 'SETUSER', 'tally', `+${command}`);
      assert.deepEqual([await add(), await add()], [3, 4]);
    });
  }

  it('refuses an add that its user may no longer carry out, and counts nothing of it (NOPERM)', async () => {
    const server = await start();
    const tallystick = createTallystick({ store: await redisStore({ client: await userOf(server), partitions: 1 }) });
    for (let value = 1; value <= 2; value++) assert.equal((await tallystick.counters.add('k')).value, value);
    await redisCommand(server.port, 'ACL', 'SETUSER', 'tally', '-bitfield');
    await assert.rejects(tallystick.counters.add('k'), { code: 'INTERNAL' });
    await redisCommand(server.port, 'ACL', 'SETUSER', 'tally', '+bitfield');
    assert.equal((await tallystick.counters.add('k')).value, 3);
    await tallystick.close();
  });

  it('refuses to open for a user who may not run all that the scripts run, and names what is lacking (NOPERM)', async () => {
    const client = await userOf(await start(), '-pexpire', '-linsert');
    await assert.rejects(redisStore({ client }), unavailable(/NOPERM.*: linsert pexpire$/));
  });

  it('refuses to open for a user who may not see its keys, and touches nothing (NOPERM)', async () => {
    const server = await start();
    const client = await userOf(server);
    await assert.rejects(redisStore({ client, prefix: 'other' }), unavailable(/NOPERM/));
    assert.equal(await redisCommand(server.port, 'DBSIZE'), 0);
  });

  it('is unavailable to a client without the password, which no error tells (NOAUTH, WRONGPASS)', async () => {
    const server = await start();
    const client = await connected({ url: server.url });
    await redisCommand(server.port, 'CONFIG', 'SET', 'requirepass', PASSWORD);
    await client.sendCommand(['RESET']);
    await assert.rejects(redisStore({ client }), unavailable(/NOAUTH/));
    const wrong = createClient({ url: server.url, password: `${PASSWORD}!`, socket: { reconnectStrategy: false } });
    wrong.on('error', () => undefined);
    await assert.rejects(wrong.connect(), /WRONGPASS/);
    const right = await connected({ url: server.url, password: PASSWORD });
    assert.equal(await adder(await redisStore({ client: right, partitions: 1 }))(), 1);
  });

  it('is unavailable while the server loads its data, and goes on by itself when that is done (LOADING)', async () => {
    const server = await start({ 'loading-process-events-interval-bytes': '1024' });
    const client = await connected({ url: server.url, socket: { reconnectStrategy: 10 } });
    const seen: unknown[] = [];
    const store = await redisStore({ client, partitions: 1 });
    const tallystick = createTallystick({ store, onEvent: (event) => { if (event.type === 'resend') seen.push(event.error); } });
    await tallystick.counters.add('k', 5);
    for (let i = 0; i < 1500; i++) void client.set(`filler:${i}`, 'x'.repeat(200));
    await client.sendCommand(['SAVE']);
    await server.kill();
    await eventually('the client has seen it', () => !client.isReady);
    const started = server.start(['--key-load-delay', '400']);
    assert.deepEqual((await tallystick.counters.add('k', 1)).value, 6);
    await started;
    assert.ok(seen.some((error) => /LOADING/.test((error as Error).message)), seen.map(String).join('\n'));
    await tallystick.close();
  });

  it('works over TLS for a user with a password, and not for a client that does not trust the certificate', async () => {
    const certificate = makeCertificate();
    endings.push(certificate.remove);
    const tlsPort = await freePort();
    const { cert, key, ca } = certificate;
    const server = await start({ 'tls-port': String(tlsPort), 'tls-cert-file': cert, 'tls-key-file': key, 'tls-auth-clients': 'no' });
    await userOf(server);
    const user = { username: 'tally', password: PASSWORD };
    const client = await connected({ ...user, socket: { host: '127.0.0.1', port: tlsPort, tls: true, ca } });
    const add = adder(await redisStore({ client, partitions: 1 }));
    assert.deepEqual([await add(), await add()], [1, 2]);
    const distrusting = createClient({ ...user, socket: { host: '127.0.0.1', port: tlsPort, tls: true, reconnectStrategy: false } });
    distrusting.on('error', () => undefined);
    await assert.rejects(distrusting.connect(), /self-signed certificate/);
  });
});
