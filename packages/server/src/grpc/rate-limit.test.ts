import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { credentials, loadPackageDefinition, type Client, type GrpcObject, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { PROTO_FOLDER } from '@tallystick/client/wire';
import { startGrpcNode, type GrpcNode } from '../../../../test/support/grpc-node.ts';
import { LiveRules } from '../app/index.ts';

// The descriptors are those of the comments in Envoy's published ratelimit.proto.
const RULES = `
version: 1
outageAfterMs: 60000
domains:
  - domain: envoy
    descriptors:
      - key: authenticated
        value: 'false'
        descriptors:
          - key: remote_address
            limit: { algorithm: fixed-window, limit: 2, windowMs: 60000 }
            perKey: { 10.0.0.9: { limit: 0 } }
          - key: path
            value: /foo/bar
            limit: { algorithm: fixed-window, limit: 4, windowMs: 3600000 }
            descriptors:
              - { key: remote_address, limit: { algorithm: fixed-window, limit: 1, windowMs: 1000 } }
      - key: authenticated
        value: 'true'
        descriptors:
          - { key: client_id, limit: { algorithm: fixed-window, limit: 100, windowMs: 86400000 } }
  - domain: quiet
    headers: false
    descriptors:
      - { key: user, limit: { algorithm: token-bucket, limit: 1, windowMs: 1500 } }
`;

interface Answer {
  readonly overall_code: string;
  readonly statuses: readonly { readonly code: string; readonly current_limit: object | null; readonly limit_remaining: number; readonly duration_until_reset: { seconds: number; nanos: number } | null }[];
  readonly response_headers_to_add: readonly { key: string; value: string }[];
}

/** `a=1 b=2` as entries. */
const of = (words: string, more: object = {}): object => ({ entries: words.split(' ').map((word) => ({ key: word.split('=')[0], value: word.split('=')[1] })), ...more });

describe('ShouldRateLimit, driven by a client made from the .proto', () => {
  let node: GrpcNode;
  let client: Client;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallystick-rls-'));
    const file = join(folder, 'rules.yaml');
    await writeFile(file, RULES);
    const log = (): void => undefined;
    node = await startGrpcNode({ rules: await LiveRules.open({ file, log: { debug: log, info: log, warn: log, error: log } }) });
    const definition = loadSync('envoy/service/ratelimit/v3/rls.proto', { includeDirs: [PROTO_FOLDER], keepCase: true, enums: String, defaults: true, longs: Number });
    const api = loadPackageDefinition(definition) as unknown as { envoy: { service: { ratelimit: { v3: GrpcObject } } } };
    const Service = api.envoy.service.ratelimit.v3['RateLimitService'] as new (address: string, channel: ReturnType<typeof credentials.createInsecure>) => Client;
    client = new Service(node.address, credentials.createInsecure());
  });

  after(async () => {
    client.close();
    await node.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (domain: string, descriptors: readonly object[], more: object = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const call = (client as unknown as { ShouldRateLimit: (request: object, done: (error: ServiceError | null, answer: Answer) => void) => void });
      call.ShouldRateLimit({ domain, descriptors, ...more }, (error, answer) => { if (error === null) resolve(answer); else reject(error); });
    });

  it('counts each descriptor down to its limit, and tells limit, what is left and when it is whole again', async () => {
    const address = [of('authenticated=false remote_address=10.0.0.1')];
    const first = await ask('envoy', address);
    assert.equal(first.overall_code, 'OK');
    assert.deepEqual(first.statuses[0]?.current_limit, { name: 'envoy/authenticated=false/remote_address', requests_per_unit: 2, unit: 'MINUTE' });
    assert.equal(first.statuses[0].limit_remaining, 1);
    assert.ok((first.statuses[0].duration_until_reset?.seconds ?? 0) >= 59);
    await ask('envoy', address);
    const denied = await ask('envoy', address);
    assert.deepEqual([denied.overall_code, denied.statuses[0]?.code, denied.statuses[0]?.limit_remaining], ['OVER_LIMIT', 'OVER_LIMIT', 0]);
    const header = (name: string): string | undefined => denied.response_headers_to_add.find(({ key }) => key === name)?.value;
    assert.equal(header('X-RateLimit-Limit'), '2');
    assert.equal(header('X-RateLimit-Remaining'), '0');
    assert.match(header('Retry-After') ?? '', /^(59|60)$/);
    assert.match(header('RateLimit') ?? '', /^"envoy\/authenticated=false\/remote_address";r=0;t=/);
  });

  it('has an own limit for a key that is named, and for each address its own', async () => {
    assert.equal((await ask('envoy', [of('authenticated=false remote_address=10.0.0.9')])).overall_code, 'OVER_LIMIT');
    assert.equal((await ask('envoy', [of('authenticated=false remote_address=10.0.0.2')])).overall_code, 'OK');
  });

  it('is over the limit when one of several descriptors is, says which, and charges none', async () => {
    const both = [of('authenticated=false path=/foo/bar'), of('authenticated=false path=/foo/bar remote_address=10.0.0.3')];
    assert.equal((await ask('envoy', both)).overall_code, 'OK');
    const denied = await ask('envoy', both);
    assert.deepEqual([denied.overall_code, ...denied.statuses.map(({ code }) => code)], ['OVER_LIMIT', 'OK', 'OVER_LIMIT']);
    const left = await ask('envoy', [of('authenticated=false path=/foo/bar')]);
    assert.equal(left.statuses[0]?.limit_remaining, 2);
  });

  it('takes hits_addend of the request, and of a descriptor before it', async () => {
    const left = async (user: string, descriptor: object, request: object): Promise<number | undefined> =>
      (await ask('envoy', [of(`authenticated=true client_id=${user}`, descriptor)], request)).statuses[0]?.limit_remaining;
    assert.equal(await left('a', {}, { hits_addend: 7 }), 93);
    assert.equal(await left('b', { hits_addend: { value: 9 } }, { hits_addend: 7 }), 91);
    assert.equal(await left('b', { hits_addend: { value: 0 } }, {}), 91);
    assert.equal((await ask('envoy', [of('authenticated=true client_id=c')], { hits_addend: 101 })).overall_code, 'OVER_LIMIT');
  });

  it('lets a limit of the descriptor hold instead of the rule’s', async () => {
    const own = of('authenticated=true client_id=d', { limit: { requests_per_unit: 1, unit: 'HOUR' } });
    const first = await ask('envoy', [own]);
    assert.deepEqual(first.statuses[0]?.current_limit, { name: 'override', requests_per_unit: 1, unit: 'HOUR' });
    assert.equal((await ask('envoy', [own])).overall_code, 'OVER_LIMIT');
  });

  it('allows what no rule is for and unknown domains, without figures', async () => {
    for (const [domain, words] of [['envoy', 'authenticated=maybe'], ['nowhere', 'a=b']] as const) {
      const { overall_code, statuses } = await ask(domain, [of(words)]);
      assert.deepEqual([overall_code, statuses[0]?.code, statuses[0]?.current_limit], ['OK', 'OK', null]);
    }
  });

  it('keeps header fields back where the rules say so, and names no unit for a window that is none', async () => {
    const { response_headers_to_add, statuses } = await ask('quiet', [of('user=a')]);
    assert.deepEqual(response_headers_to_add, []);
    assert.deepEqual(statuses[0]?.current_limit, { name: 'quiet/user', requests_per_unit: 1, unit: 'UNKNOWN' });
  });

  it('refuses a request without domain, descriptors or entries, and a unit that is none', async () => {
    const refused = (request: Promise<unknown>, details: RegExp) => assert.rejects(request, { code: 3, details });
    await refused(ask('', [of('a=b')]), /^domain: /);
    await refused(ask('envoy', []), /^descriptors: /);
    await refused(ask('envoy', [{ entries: [] }]), /^descriptors\[0\]\.entries: /);
    await refused(ask('envoy', [of('a=b', { limit: { requests_per_unit: 1 } })]), /^descriptors\[0\]\.limit\.unit: /);
  });
});
