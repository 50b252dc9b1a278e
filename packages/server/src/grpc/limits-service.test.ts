import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient, type Client } from '@tallystick/client';
import { limitsService as service } from '@tallystick/client/wire';
import type { LimitOptions } from 'tallystick';
import { startGrpcNode, type GrpcNode } from '../../../../test/support/grpc-node.ts';

const limits: Record<string, LimitOptions> = {
  login: { algorithm: 'fixed-window', limit: 2, windowMs: 60_000 },
  day: { algorithm: 'sliding-window', limit: 10, windowMs: 86_400_000 },
  work: { algorithm: 'concurrency', limit: 1, leaseMs: 5000 },
  monthly: { algorithm: 'calendar', unit: 'month', timeZone: 'Asia/Tokyo', limit: 2 },
};

describe('limits over gRPC', () => {
  let node: GrpcNode;
  let client: Client;
  before(async () => {
    node = await startGrpcNode({ limits });
    client = createClient({ address: node.address });
  });
  after(async () => {
    await client.close();
    await node.close();
  });

  it('give the whole decision, and a denial is one', async () => {
    const { resetMs, atMs, ...first } = await client.limits.take('a', 'login');
    assert.deepEqual(first, { allowed: true, limit: 2, remaining: 1, retryAfterMs: 0, reason: 'allowed', rule: 'login', source: 'store' });
    assert.ok(resetMs !== null && resetMs > 0 && atMs > 0);
    await client.limits.take('a', 'login');
    const denied = await client.limits.take('a', 'login');
    assert.deepEqual([denied.allowed, denied.reason, denied.remaining], [false, 'limited', 0]);
    assert.equal((await client.limits.take('a', 'login', { cost: 3 })).retryAfterMs, null);
  });

  it('count by calendar, declared or given in full', async () => {
    const { remaining, rule } = await client.limits.take('calendar', 'monthly');
    assert.deepEqual([remaining, rule], [1, 'monthly']);
    const given = { name: 'daily', algorithm: 'calendar', unit: 'day', timeZone: 'Europe/Berlin', limit: 5 } as const;
    const { resetMs } = await client.limits.take('calendar', [given, 'monthly']);
    assert.ok(resetMs !== null && resetMs <= 31 * 86_400_000);
    assert.equal((await client.limits.take('calendar', given)).remaining, 3);
    await assert.rejects(client.limits.take('calendar', { ...given, timeZone: 'Nowhere' }), { code: 'INVALID_ARGUMENT', field: 'rules.timeZone' });
  });

  it('T10 allow exactly the limit to calls of one tick, which travel in one message', async () => {
    const decisions = await Promise.all(Array.from({ length: 25 }, () => client.limits.take('b', 'day')));
    assert.equal(decisions.filter(({ allowed }) => allowed).length, 10);
    assert.deepEqual(decisions.slice(0, 10).map(({ remaining }) => remaining), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('L01 charge all rules or none, by name and in full', async () => {
    const once = { name: 'once', algorithm: 'fixed-window', limit: 1, windowMs: 60_000 } as const;
    for (let i = 0; i < 3; i++) assert.equal((await client.limits.take('c', [once, 'day'])).allowed, i === 0);
    assert.equal((await client.limits.peek('c', 'day')).remaining, 9);
  });

  it('refund, release, penalize, reset, block and unblock', async () => {
    const taken = await client.limits.take('d', 'login', { cost: 2 });
    assert.deepEqual(await client.limits.refund('d', 'login', { decision: taken, requestId: 'r' }), { outcome: 'applied' });
    assert.deepEqual(await client.limits.refund('d', 'login', { decision: taken, requestId: 'r' }), { outcome: 'applied', replayed: true });
    assert.equal((await client.limits.peek('d', 'login')).remaining, 1);
    await client.limits.penalize('d', 'login', { cost: 5 });
    assert.equal((await client.limits.peek('d', 'login')).allowed, false);
    await client.limits.reset('d');
    const { lease = '' } = await client.limits.take('d', 'work');
    assert.equal((await client.limits.peek('d', 'work')).allowed, false);
    await client.limits.release('d', 'work', lease);
    await client.limits.block('d', { forMs: 60_000 });
    const blocked = await client.limits.peek('d', 'work');
    assert.deepEqual([blocked.reason, blocked.rule], ['blocked', null]);
    await client.limits.unblock('d');
    assert.equal((await client.limits.peek('d', 'work')).allowed, true);
  });

  it('take many, and none when one is bad; errors name the field', async () => {
    const item = { subject: 'e', rules: 'login' };
    await assert.rejects(client.limits.takeMany([item, { ...item, rules: 'nothing' }]), { code: 'INVALID_ARGUMENT', field: 'items[1].rules', index: 1 });
    const results = await client.limits.takeMany([item, item, item]);
    assert.deepEqual(results.map((result) => 'allowed' in result && result.allowed), [true, true, false]);
    await assert.rejects(client.limits.take('e', 'nothing'), { code: 'INVALID_ARGUMENT', field: 'rules' });
    await assert.rejects(client.limits.take('', 'login'), { code: 'INVALID_KEY', field: 'subject' });
    await assert.rejects(client.limits.take('e', 'login', { cost: -5 }), { code: 'INVALID_AMOUNT', field: 'cost' });
    await assert.rejects(client.limits.take('e', { name: 'r', algorithm: 'sliding-log', limit: 0.5, windowMs: 1 }), { code: 'INVALID_AMOUNT' });
  });

  it('M08 decide nothing for a call whose deadline has passed', async () => {
    const request = { subject: 'f', rules: [{ name: 'login' }] };
    await assert.rejects(node.call(service.Check, request, { deadline: Date.now() - 16 }));
    assert.equal((await client.limits.peek('f', 'login')).remaining, 2);
  });
});
