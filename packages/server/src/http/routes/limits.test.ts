import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memoryStore, TallystickError, type LimitOptions, type Store } from 'tallystick';
import { manualClock } from 'tallystick/testing';
import { startNode, startNodeOn, STORES, type Answer, type HttpNode } from '../../../../../test/support/http-node.ts';

const LIMITS: Record<string, LimitOptions> = {
  login: { algorithm: 'fixed-window', limit: 2, windowMs: 60_000 },
  day: { algorithm: 'sliding-window', limit: 10, windowMs: 86_400_000 },
  none: { algorithm: 'sliding-log', limit: 0, windowMs: 1000 },
  work: { algorithm: 'concurrency', limit: 1, leaseMs: 5000 },
};

let subjects = 0;
const subject = (): string => `subject ${subjects++}`;
const header = ({ headers }: Answer, name: string): string | null => headers.get(name);

for (const store of Object.keys(STORES)) {
  describe(`limits over HTTP, ${store} store`, () => {
    let node: HttpNode;
    const post = (action: string, body: unknown): Promise<Answer> => node.post(`/v1/limits/${action}`, body);
    const remaining = async (who: string, rules: string): Promise<unknown> => (await post('peek', { subject: who, rules })).body?.['remaining'];
    before(async () => {
      node = await startNodeOn(store, { limits: LIMITS });
    });
    after(() => node.close());

    it('counts by calendar, and names the field of one that there is not', async () => {
      const daily = { name: 'daily', algorithm: 'calendar', unit: 'day', timeZone: 'Asia/Tokyo', limit: 3 };
      const first = await post('check', { subject: subject(), rules: daily });
      assert.deepEqual([first.status, first.body?.['remaining']], [200, 2]);
      assert.equal(header(first, 'ratelimit-policy'), '"daily";q=3');
      const { status, body } = await post('check', { subject: subject(), rules: { ...daily, timeZone: 'Nowhere' } });
      assert.deepEqual([status, body?.['code']], [400, 10003]);
      assert.match(String(body?.['msg']), /timeZone: expected an IANA time zone/);
    });

    it('answers a check with the whole decision and the header fields, a denial with status 200 too', async () => {
      const asked = { subject: subject(), rules: 'login' };
      const first = await post('check', asked);
      assert.equal(first.status, 200);
      const { resetMs, atMs, ...rest } = first.body as Record<string, number>;
      assert.deepEqual(rest, { allowed: true, limit: 2, remaining: 1, retryAfterMs: 0, reason: 'allowed', rule: 'login', source: 'store' });
      assert.ok(resetMs! > 59_000 && atMs! > 0);
      assert.equal(header(first, 'ratelimit'), '"login";r=1;t=60');
      assert.equal(header(first, 'ratelimit-policy'), '"login";q=2;w=60');
      assert.equal(header(first, 'x-ratelimit-remaining'), '1');
      assert.equal(header(first, 'retry-after'), null);
      await post('check', asked);
      const denied = await post('check', asked);
      assert.deepEqual([denied.status, denied.body?.['allowed'], denied.body?.['reason']], [200, false, 'limited']);
      assert.equal(header(denied, 'retry-after'), '60');
    });

    it('answers a denial with 429 and problem details where that is asked for', async () => {
      const asked = { subject: subject(), rules: 'none', denialStatus: 429 };
      const { status, headers, body } = await post('check', asked);
      assert.deepEqual([status, headers.get('content-type')], [429, 'application/problem+json; charset=utf-8']);
      assert.deepEqual([body?.['code'], body?.['status'], (body?.['data'] as { allowed: boolean }).allowed], [10050, 429, false]);
      assert.deepEqual(body?.['violated-policies'], ['none']);
      const wrong = await post('check', { ...asked, denialStatus: 403 });
      assert.deepEqual([wrong.status, wrong.body?.['field']], [400, 'denialStatus']);
    });

    it('L01 charges all rules or none, by name and in full', async () => {
      const who = subject();
      const once = { name: 'once', algorithm: 'fixed-window', limit: 1, windowMs: 60_000 };
      for (let i = 0; i < 20; i++) assert.equal((await post('check', { subject: who, rules: i % 2 === 0 ? [once, 'day'] : ['day', once] })).body?.['allowed'], i < 1);
      assert.equal(await remaining(who, 'day'), 9);
    });

    it('L11 peeks without taking', async () => {
      const who = subject();
      for (let i = 0; i < 5; i++) assert.equal(await remaining(who, 'login'), 2);
    });

    it('takes many, each by itself, and none when one is bad', async () => {
      const who = subject();
      const item = { subject: who, rules: 'login' };
      const bad = await post('check', { items: [item, { ...item, cost: 0.5 }] });
      assert.deepEqual([bad.status, bad.body?.['field'], bad.body?.['index']], [400, 'items[1].cost', 1]);
      const strange = await post('check', { items: [item, { ...item, price: 1 }] });
      assert.deepEqual([strange.status, strange.body?.['field']], [400, 'items[1].price']);
      const { body } = await post('check', { items: [item, item, item] });
      assert.deepEqual((body?.['results'] as { allowed: boolean }[]).map(({ allowed }) => allowed), [true, true, false]);
    });

    it('gives the first answer to a request id again, and makes a change once under one', async () => {
      const asked = { subject: subject(), rules: 'day', cost: 4, requestId: 'a' };
      const first = await post('check', asked);
      const again = await post('check', asked);
      assert.deepEqual({ ...again.body, resetMs: 0 }, { ...first.body, resetMs: 0, replayed: true });
      for (const replayed of [undefined, true]) assert.equal((await post('refund', { ...asked, cost: 1, requestId: 'b' })).body?.['replayed'], replayed);
      assert.equal(await remaining(asked.subject, 'day'), 7);
    });

    it('L06 L07 refunds down to nothing and not below, and nothing for a denial', async () => {
      const asked = { subject: subject(), rules: 'login' };
      assert.deepEqual((await post('refund', asked)).body, { outcome: 'applied' });
      const decisions = [];
      for (let i = 0; i < 3; i++) decisions.push((await post('check', asked)).body);
      assert.deepEqual(decisions.map((decision) => decision?.['allowed']), [true, true, false]);
      await post('refund', { ...asked, decision: decisions[2] });
      assert.equal((await post('check', asked)).body?.['allowed'], false);
      await post('refund', { ...asked, decision: decisions[0] });
      assert.equal((await post('check', asked)).body?.['allowed'], true);
    });

    it('L05 blocks, punishes, resets, unblocks, and releases leases', async () => {
      const who = subject();
      await post('block', { subject: who, forMs: 60_000 });
      const blocked = (await post('peek', { subject: who, rules: 'login' })).body;
      assert.deepEqual([blocked?.['reason'], blocked?.['rule']], ['blocked', null]);
      await post('unblock', { subject: who });
      await post('penalize', { subject: who, rules: 'login', cost: 9 });
      assert.equal((await post('check', { subject: who, rules: 'login' })).body?.['allowed'], false);
      await post('reset', { subject: who });
      const { lease } = (await post('check', { subject: who, rules: ['login', 'work'] })).body as { lease: string };
      assert.equal((await post('check', { subject: who, rules: 'work' })).body?.['allowed'], false);
      await post('release', { subject: who, rules: 'work', lease });
      assert.equal((await post('check', { subject: who, rules: 'work' })).body?.['allowed'], true);
    });

    it('T10 allows exactly the limit to callers that come at once', async () => {
      const asked = { subject: subject(), rules: 'day' };
      const answers = await Promise.all(Array.from({ length: 40 }, () => post('check', asked)));
      const left = answers.map(({ body }) => body as { allowed: boolean; remaining: number });
      assert.equal(left.filter(({ allowed }) => allowed).length, 10);
      assert.deepEqual(new Set(left.map((one) => one.remaining)), new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    });

    for (const [what, body, field] of [
      ['N08 a cost below 0', { rules: 'login', cost: -5 }, 'cost'],
      ['N09 a cost that is text', { rules: 'login', cost: '5' }, 'cost'],
      ['L12 a rule without a window', { rules: { name: 'r', algorithm: 'fixed-window', limit: 1 } }, 'rules.windowMs'],
      ['L12 a rule with a field of another', { rules: { name: 'r', algorithm: 'sliding-log', limit: 1, windowMs: 5, slices: 2 } }, 'rules.slices'],
      ['a limit that nobody declared', { rules: 'nothing' }, 'rules'],
      ['no rule', {}, 'rules.rule'],
      ['K11 no subject', { subject: undefined, rules: 'login' }, 'subject'],
      ['K11 a subject that is empty', { subject: '', rules: 'login' }, 'subject'],
      ['a field that is not known', { rules: 'login', colour: 1 }, 'colour'],
    ] as const) {
      it(`refuses ${what}, naming the field`, async () => {
        const { status, body: said } = await post('check', { subject: subject(), ...body });
        assert.deepEqual([status, said?.['field']], [400, field]);
      });
    }
  });
}

describe('limits over HTTP and time', () => {
  it('T20 tell a wait of whole seconds, rounded up, after which the same is allowed', async () => {
    const clock = manualClock();
    await using node = await startNode({ store: memoryStore({ clock }), limits: { two: { algorithm: 'fixed-window', limit: 1, windowMs: 2000 } } });
    for (const [leftMs, seconds] of [[1900, 2], [900, 1], [200, 1], [1, 1]] as const) {
      const asked = { subject: `wait ${leftMs}`, rules: 'two' };
      await node.post('/v1/limits/check', asked);
      clock.advance(2000 - leftMs);
      const denied = await node.post('/v1/limits/check', asked);
      assert.deepEqual([denied.headers.get('retry-after'), denied.body?.['retryAfterMs']], [String(seconds), leftMs]);
      clock.advance(leftMs);
      // A peek: the node remembers the denial by its own clock, which the test does not move.
      assert.equal((await node.post('/v1/limits/peek', asked)).body?.['allowed'], true);
    }
  });

  it('T21 say that waiting does not help where a cost never fits', async () => {
    await using node = await startNode({ limits: LIMITS });
    const { body, headers } = await node.post('/v1/limits/check', { subject: 's', rules: 'login', cost: 3 });
    assert.deepEqual([body?.['allowed'], body?.['retryAfterMs'], headers.get('retry-after')], [false, null, null]);
    assert.equal((await node.post('/v1/limits/peek', { subject: 's', rules: 'login' })).body?.['remaining'], 2);
  });
});

describe('limits over HTTP and a store at fault', () => {
  it('R01 are an error, never a denial', async () => {
    const store: Store = { ...memoryStore(), partitions: 1, apply: () => Promise.reject(new TallystickError('STORE_UNAVAILABLE', 'away')), read: () => Promise.reject(new Error('away')), close: () => Promise.resolve() };
    await using node = await startNode({ store, limits: LIMITS, requestTimeoutMs: 50 });
    const { status, body } = await node.post('/v1/limits/check', { subject: 's', rules: 'login' });
    assert.ok(status >= 500, `${status}`);
    assert.equal('allowed' in (body ?? {}), false);
  });
});
