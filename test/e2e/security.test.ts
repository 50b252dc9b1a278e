/** Keys and certificates, over both transports, on real connections. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { createClient } from '@tallystick/client';
import { countersService, healthService, type Method } from '@tallystick/client/wire';
import { memoryStore } from 'tallystick';
import { ApiKeys, createApp, digestOf, LiveRules, ROLES, type App, type Log, type Tls } from '../../packages/server/src/app/index.ts';
import { startGrpc } from '../../packages/server/src/grpc/index.ts';
import { startHttp } from '../../packages/server/src/http/index.ts';
import { refusedStart } from '../support/server.ts';

const run = promisify(execFile);
const logged: string[] = [];
const note = (fields: object, message: string): void => void logged.push(JSON.stringify(fields) + message);
const log: Log = { debug: note, info: note, warn: note, error: note };
const keyOf = (role: string): string => `key-of-the-${role}-0123456789`;
const keys = new ApiKeys(ROLES.map((role) => ({ name: role, role, sha256: digestOf(keyOf(role)) })));

/** An authority, and what it signed for 127.0.0.1 and for a client. */
async function certificates(folder: string) {
  const at = (name: string): string => join(folder, name);
  const openssl = (...words: string[]): Promise<unknown> => run('openssl', words);
  await openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=authority', '-keyout', at('ca.key'), '-out', at('ca.crt'));
  await writeFile(at('names'), 'subjectAltName=IP:127.0.0.1');
  for (const name of ['node', 'client']) {
    await openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`));
    await openssl('x509', '-req', '-in', at(`${name}.csr`), '-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', at('names'), '-out', at(`${name}.crt`));
  }
  const [ca, cert, key, clientCert, clientKey] = await Promise.all(['ca.crt', 'node.crt', 'node.key', 'client.crt', 'client.key'].map((name) => readFile(at(name))));
  return { ca: ca!, cert: cert!, key: key!, clientCert: clientCert!, clientKey: clientKey! };
}

async function started(app: App, more: { keys?: ApiKeys; tls?: Tls }) {
  const http = await startHttp({ app, host: '127.0.0.1', port: 0, maxBodyBytes: 65_536, log, ...more });
  const grpc = await startGrpc({ app, address: '127.0.0.1:0', log, ...more });
  return { http: http.port, grpc: grpc.port, close: () => Promise.all([http.close(1000), grpc.close(1000)]) };
}

function call<Request, Reply>(client: Client, method: Method<Request, unknown, Reply>, message: Request, key?: string): Promise<Reply> {
  const metadata = new Metadata();
  if (key !== undefined) metadata.set('authorization', `Bearer ${key}`);
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, metadata, { deadline: Date.now() + 20_000 }, (error, reply) => {
      if (error === null) resolve(reply as Reply);
      else reject(error);
    });
  });
}

describe('a node with keys', () => {
  let app: App;
  let node: Awaited<ReturnType<typeof started>>;
  let client: Client;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallystick-keys-'));
    const file = join(folder, 'rules.json');
    await writeFile(file, JSON.stringify({ version: 1, domains: [{ domain: 'd', descriptors: [{ key: 'user', limit: { algorithm: 'fixed-window', limit: 3, windowMs: 60_000 } }] }] }));
    app = createApp({ store: memoryStore(), rules: await LiveRules.open({ file, log }) });
    node = await started(app, { keys });
    client = new Client(`127.0.0.1:${node.grpc}`, credentials.createInsecure());
  });

  after(async () => {
    client.close();
    await node.close();
    await app.close(1000);
    await rm(folder, { recursive: true, force: true });
  });

  const status = async (path: string, key?: string, method = 'GET'): Promise<number> =>
    (await fetch(`http://127.0.0.1:${node.http}${path}`, { method, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })).status;

  it('asks for the role of each route over HTTP, and for none where health is asked', async () => {
    assert.deepEqual([await status('/healthz'), await status('/readyz')], [200, 200]);
    assert.deepEqual([await status('/v1/counters/a'), await status('/v1/counters/a', 'nobody-s-key')], [401, 401]);
    assert.deepEqual([await status('/v1/counters/a', keyOf('read')), await status('/v1/counters/a', keyOf('read'), 'POST')], [200, 403]);
    assert.equal(await status('/v1/counters/a', keyOf('write'), 'POST'), 200);
    assert.deepEqual([await status('/v1/admin/rules', keyOf('write')), await status('/v1/admin/rules', keyOf('admin'))], [403, 200]);
    assert.equal(await status('/metrics', keyOf('read')), 200);
  });

  it('asks for the role of each method over gRPC, and for none where health is asked', async () => {
    const get = { key: 'a' };
    await assert.rejects(call(client, countersService.Get, get), { code: 16 });
    await assert.rejects(call(client, countersService.Add, get, keyOf('read')), { code: 7 });
    assert.equal((await call(client, countersService.Get, get, keyOf('read'))).value, 1);
    assert.equal((await call(client, countersService.Add, get, keyOf('write'))).outcome, 'applied');
    await call(client, healthService.Check, '');
  });

  it('takes the key of a client with every call, also to take and to peek', async () => {
    const address = `127.0.0.1:${node.grpc}`;
    const clients = [createClient({ address, apiKey: keyOf('read') }), createClient({ address, apiKey: keyOf('write') }), createClient({ address })] as const;
    const [reader, writer, nobody] = clients;
    const rule = { name: 'r', algorithm: 'fixed-window', limit: 2, windowMs: 60_000 } as const;
    try {
      assert.equal((await writer.limits.take('client', rule)).remaining, 1);
      assert.equal((await reader.limits.peek('client', rule)).remaining, 1);
      await assert.rejects(reader.limits.take('client', rule), { code: 'PERMISSION_DENIED' });
      await assert.rejects(nobody.counters.get('a'), { code: 'UNAUTHENTICATED' });
      assert.throws(() => createClient({ apiKey: 'a\nb' }), { code: 'INVALID_CONFIG', field: 'apiKey' });
    } finally {
      await Promise.all(clients.map((each) => each.close()));
    }
  });

  it('shows an admin the rules and where a subject stands, and changes nothing by it', async () => {
    const read = async (path: string): Promise<Record<string, unknown>> =>
      (await (await fetch(`http://127.0.0.1:${node.http}${path}`, { headers: { authorization: `Bearer ${keyOf('admin')}` } })).json()) as Record<string, unknown>;
    await app.rules!.decide('d', [{ entries: [{ key: 'user', value: 'a' }] }]);
    const { version, rules, lastError } = await read('/v1/admin/rules');
    assert.match(String(version), /^[0-9a-f]{12}$/);
    assert.deepEqual([rules, lastError], [1, null]);
    for (let i = 0; i < 2; i++) {
      const { rule, decision } = await read('/v1/admin/limits/user=a?domain=d');
      assert.deepEqual([rule, (decision as { remaining: number }).remaining], ['d/user', 2]);
    }
    assert.equal(await status('/v1/admin/limits/other=a?domain=d', keyOf('admin')), 404);
    assert.equal(await status('/v1/admin/limits/user=a', keyOf('admin')), 400);
  });

  it('logs no key', () => {
    assert.ok(logged.length > 0);
    assert.deepEqual(logged.filter((line) => line.includes('key-of-the') || line.includes('nobody-s-key')), []);
  });
});

describe('a node with a certificate', () => {
  it('serves HTTPS and gRPC over TLS, and with an authority of clients only those that it signed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tallystick-tls-'));
    const { ca, cert, key, clientCert, clientKey } = await certificates(folder);
    const app = createApp({ store: memoryStore() });
    const [open, mutual] = [await started(app, { tls: { cert, key } }), await started(app, { tls: { cert, key, clientCa: ca } })];
    const https = (port: number, more: object = {}): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', servername: '', port, path: '/healthz', ca, agent: false, ...more }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', reject).end();
      });
    const grpc = async (port: number, own: ReturnType<typeof credentials.createSsl>): Promise<unknown> => {
      const client = new Client(`127.0.0.1:${port}`, own);
      return call(client, healthService.Check, '').finally(() => client.close());
    };
    const mine = { cert: clientCert, key: clientKey };
    try {
      assert.equal(await https(open.http), 200);
      await grpc(open.grpc, credentials.createSsl(ca));
      assert.equal(await https(mutual.http, mine), 200);
      await grpc(mutual.grpc, credentials.createSsl(ca, clientKey, clientCert));
      await assert.rejects(https(mutual.http));
      await assert.rejects(grpc(mutual.grpc, credentials.createSsl(ca)), { code: 14 });
      await assert.rejects(fetch(`http://127.0.0.1:${open.http}/healthz`));
    } finally {
      await Promise.all([open.close(), mutual.close()]);
      await app.close(1000);
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a node that others can reach', () => {
  it('does not start in clear text unless it is asked to, and says what to do', async () => {
    const { exit, err } = await refusedStart(['--http', '0.0.0.0:0', '--store', 'memory']);
    assert.equal(exit, 2);
    assert.match(err, /http: other machines can reach 0\.0\.0\.0:0, and it is in clear text: tlsCert and tlsKey make it private/);
  });

  it('shows no key of a bad setting', async () => {
    const { exit, err } = await refusedStart(['--store', 'memory'], { TALLYSTICK_API_KEYS: '[{"name":"a","role":"root","key":"very-secret-0123456789"}]' });
    assert.equal(exit, 2);
    assert.match(err, /TALLYSTICK_API_KEYS: expected a list/);
    assert.doesNotMatch(err, /very-secret/);
  });
});
