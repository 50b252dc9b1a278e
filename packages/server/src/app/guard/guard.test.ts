import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memoryStore, TallystickError, type Store } from 'tallystick';
import { manualClock } from 'tallystick/testing';
import { startNode, startNodeOn, STORES, type Answer, type HttpNode } from '../../../../../test/support/http-node.ts';
import { parseNetwork } from './client-address.ts';
import type { GuardOptions } from './guard.ts';

const guard: GuardOptions = {
  ipPerMinute: 1000,
  userPerMinute: 100,
  operationsPerMinute: 100,
  duplicateMs: 60_000,
  trustedProxies: [parseNetwork('127.0.0.1')!],
  ipv6PrefixBits: 64,
};

let clients = 0;
/** A client of its own, by an address of its own. */
function client(node: () => HttpNode, forwardedFor = `203.0.113.${++clients}`) {
  const post = (action: string, userId: unknown, resourceId: string, more: object = {}): Promise<Answer> =>
    node().call(`/api/counter/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor },
      body: JSON.stringify({ userId, resourceId, ...more }),
    });
  return {
    like: (userId: unknown, resourceId: string, more?: object) => post('like', userId, resourceId, more),
    unlike: (userId: unknown, resourceId: string, more?: object) => post('unlike', userId, resourceId, more),
  };
}
const likes = async (node: HttpNode, resourceId: string): Promise<unknown> => ((await node.get(`/api/counter/count/${resourceId}`)).body?.['data'] as { count: number }).count;
const statuses = (answers: readonly Answer[], status: number): number => answers.filter((answer) => answer.status === status).length;

for (const store of Object.keys(STORES)) {
  describe(`the guard before likes, ${store} store`, () => {
    let node: HttpNode;
    const some = (): ReturnType<typeof client> => client(() => node);
    before(async () => {
      node = await startNodeOn(store, { guard });
    });
    after(() => node.close());

    it('lets a user do the same to the same once in a time, however many ask at once, and counts it once', async () => {
      const { like } = some();
      const answers = await Promise.all(Array.from({ length: 30 }, () => like('dup', 'r1')));
      assert.deepEqual([statuses(answers, 200), statuses(answers, 429), await likes(node, 'r1')], [1, 29, 1]);
      const denied = answers.find(({ status }) => status === 429)!;
      assert.equal(denied.headers.get('content-type'), 'application/problem+json; charset=utf-8');
      assert.deepEqual([denied.body?.['code'], denied.body?.['status']], [10051, 429]);
      assert.deepEqual(denied.body?.['violated-policies'], ['duplicate:like']);
      assert.ok(Number(denied.headers.get('retry-after')) > 0);
      assert.ok(!denied.text.includes('r1'), 'nothing of the resource is told');
    });

    it('takes like and unlike, and other resources, for other things', async () => {
      const { like, unlike } = some();
      for (const call of [like('u', 'r2'), unlike('u', 'r2'), like('u', 'r3')]) assert.equal((await call).status, 200);
      assert.deepEqual([await likes(node, 'r2'), (await unlike('u', 'r2')).status], [0, 429]);
    });

    it('limits a user over all resources and addresses, counts nothing beyond, and charges no address for it', async () => {
      const answers = await Promise.all(Array.from({ length: 130 }, (_, i) => some().like('busy', `many-${i}`)));
      assert.deepEqual([statuses(answers, 200), statuses(answers, 429)], [100, 30]);
      const denied = answers.find(({ status }) => status === 429)!;
      assert.equal(denied.body?.['code'], 10050);
      assert.equal((await some().unlike('busy', 'many-0')).status, 429, 'operations of all kinds are limited together');
      assert.equal((await some().like('calm', 'many-0')).status, 200);
    });

    it('counts a like that comes again under its request id once, and lets it pass', async () => {
      const { like } = some();
      const first = await like('again', 'r4', { requestId: 'x' });
      const again = await like('again', 'r4', { requestId: 'x' });
      assert.deepEqual([first.status, again.status], [200, 200]);
      assert.deepEqual(again.body?.['data'], { ...(first.body?.['data'] as object), replayed: true });
      assert.equal((await like('again', 'r4', { requestId: 'y' })).status, 429);
      const others = await Promise.all(Array.from({ length: 120 }, (_, i) => like('again', `r4-${i}`, { requestId: 'x' })));
      assert.equal(statuses(others, 200), 99, 'an id of another like is another id');
    });

    it('K11 refuses a like without a user, and charges nobody', async () => {
      const { like } = some();
      for (const nobody of [undefined, null, '', {}, 0]) assert.equal((await like(nobody, 'r5')).status, 400);
      assert.equal(await likes(node, 'r5'), 0);
    });

    it('D01 gives back what a like had that was not counted, once', async () => {
      const { like } = some();
      const tooLong = 'x'.repeat(600);
      for (let i = 0; i < 5; i++) assert.equal((await like('failing', tooLong, { requestId: 'same' })).status, 400);
      for (let i = 0; i < 3; i++) assert.equal((await like('failing', tooLong)).status, 400);
      const answers = await Promise.all(Array.from({ length: 105 }, (_, i) => like('failing', `ok-${i}`)));
      assert.equal(statuses(answers, 200), 100);
    });
  });
}

describe('the guard and addresses', () => {
  it('K07 K10 limits an address and an IPv6 network; what clients write left of it changes nothing', async () => {
    await using node = await startNode({ guard: { ...guard, ipPerMinute: 5 } });
    let users = 0;
    const likeFrom = (forwardedFor: string): Promise<Answer> => client(() => node, forwardedFor).like(`u${users++}`, 'r');
    const forged = await Promise.all(Array.from({ length: 20 }, (_, i) => likeFrom(`198.51.100.${i}, 203.0.113.7`)));
    assert.equal(statuses(forged, 200), 5);
    assert.deepEqual(forged.find(({ status }) => status === 429)?.body?.['violated-policies'], ['ip']);
    const rotating = await Promise.all(Array.from({ length: 20 }, (_, i) => likeFrom(`2001:db8:1:2::${i}`)));
    assert.equal(statuses(rotating, 200), 5);
    assert.equal((await likeFrom('2001:db8:1:3::1')).status, 200);
    assert.equal(await likes(node, 'r'), 11);
    const { text } = await node.get('/metrics');
    assert.match(text, /tallystick_guard_refusals_total\{rule="ip"\} 30/);
  });

  it('L01 charges an address nothing for what its user was denied', async () => {
    await using node = await startNode({ guard: { ...guard, ipPerMinute: 10, userPerMinute: 1 } });
    const { like } = client(() => node);
    for (let i = 0; i < 20; i++) assert.equal((await like('greedy', `r${i}`)).status, i === 0 ? 200 : 429);
    for (let i = 0; i < 9; i++) assert.equal((await like(`other ${i}`, 'r')).status, 200);
    assert.equal((await like('last', 'r')).status, 429);
  });

  it('allows again what was denied, after the wait that was told, under the same request id too', async () => {
    const clock = manualClock();
    await using node = await startNode({ store: memoryStore({ clock }), guard: { ...guard, userPerMinute: 1 } });
    const { like } = client(() => node);
    await like('u', 'a');
    const denied = await like('u', 'b', { requestId: 'later' });
    assert.equal(denied.status, 429);
    clock.advance((denied.body?.['data'] as { retryAfterMs: number }).retryAfterMs);
    assert.equal((await like('u', 'b', { requestId: 'later' })).status, 200);
    assert.equal(await likes(node, 'b'), 1);
  });
});

describe('the guard and a store that is away', () => {
  const away = (): Promise<never> => Promise.reject(new TallystickError('STORE_UNAVAILABLE', 'away'));
  const store: Store = { partitions: 1, apply: away, read: away, close: () => Promise.resolve() };

  it('R01 is an error and no denial, and nothing is counted', async () => {
    await using node = await startNode({ store, guard, requestTimeoutMs: 100 });
    const { status, body } = await client(() => node).like('u', 'r');
    assert.deepEqual([status, body?.['code']], [504, 10001]);
  });

  it('R02 denies or limits by itself only where that was asked for, and says that it did', async () => {
    await using node = await startNode({ store, guard: { ...guard, onOutage: 'closed' } });
    const { status, body } = await client(() => node).like('u', 'r');
    assert.deepEqual([status, body?.['code'], (body?.['data'] as { source: string }).source], [503, 10021, 'fallback']);
  });
});
