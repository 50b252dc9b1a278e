// The client against a real server.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTallystick, memoryStore } from 'tallystick';
import { startGrpcNode, type GrpcNode } from '../../../test/support/grpc-node.ts';
import { createClient, TallystickError, type Client, type ClientCounters } from './index.ts';

/** What a call was refused with. */
async function refusal(call: Promise<unknown>): Promise<TallystickError> {
  const error = await call.then(() => undefined, (thrown: unknown) => thrown);
  assert.ok(error instanceof TallystickError, String(error));
  return error;
}

describe('a client', () => {
  let node: GrpcNode;
  let client: Client;
  before(async () => {
    node = await startGrpcNode();
    client = createClient({ address: node.address });
  });
  after(async () => {
    await client.close();
    await node.close();
  });

  const messages = (method: string): number => node.app.figures.timesOf(`grpc /tallystick.v1.${method}`).count;

  it('adds and reads as the library does', async () => {
    const { counters } = client;
    assert.deepEqual(await counters.add('a'), { outcome: 'applied', value: 1, exact: true, delta: 1 });
    assert.equal((await counters.add('a', -5)).value, -4);
    assert.equal((await counters.add('a', -5, { min: -6 })).delta, -2);
    assert.deepEqual(await counters.get('a'), { value: -6, found: true, exact: true });
    assert.deepEqual(await counters.get('none'), { value: 0, found: false, exact: true });
    await counters.add('u', 1, { type: 'unique', windowMs: 60_000, member: 'm' });
    assert.equal((await counters.get('u', { type: 'unique', windowMs: 60_000 })).value, 1);
  });

  it('adds and reads many', async () => {
    const { counters } = client;
    await counters.add('full', Number.MAX_SAFE_INTEGER);
    const results = await counters.addMany([{ key: 'm1', delta: 2 }, { key: 'full' }, { key: 'm1', max: 3 }]);
    const expected = [['applied', 2], ['refused', Number.MAX_SAFE_INTEGER], ['applied', 3]];
    assert.deepEqual(results.map(({ outcome, value }) => [outcome, value]), expected);
    assert.deepEqual((await counters.getMany(['m1', { key: 'none' }])).map(({ value }) => value), [3, 0]);
  });

  it('counts frequencies', async () => {
    const { frequency } = client;
    const [business, key] = [9, 'sms:1'];
    const request = { businessId: business, key, timeSpan: 2, timeUnit: 'DAY' } as const;
    const expected = { code: 0, msg: 'OK', businessId: business, key, freq: 1, ttlSeconds: 2 * 24 * 3600, outcome: 'applied' };
    assert.deepEqual(await frequency.add(request), expected);
    assert.deepEqual((await frequency.batchAdd([request, request])).map(({ freq }) => freq), [2, 3]);
    const { code, msg, ttlSeconds } = expected;
    assert.deepEqual(await frequency.get({ businessId: business, key }), { code, msg, businessId: business, key, freq: 3, ttlSeconds });
    const read = await frequency.batchGet([{ businessId: business, key }, { businessId: 8, key }]);
    assert.deepEqual(read.map(({ code, freq }) => [code, freq]), [[0, 3], [10002, 0]]);
    assert.equal((await frequency.get({ businessId: 8, key })).code, 10002);
  });

  it('puts the adds of one tick into as many messages as they fill', async () => {
    const before = messages('Counters/StreamAdd');
    const values = await Promise.all(Array.from({ length: 1200 }, () => client.counters.add('tick')));
    assert.deepEqual(values.map(({ value }) => value), Array.from({ length: 1200 }, (_, i) => i + 1));
    assert.equal(messages('Counters/StreamAdd') - before, 3);
  });

  it('puts the other calls of one tick into one message of each kind', async () => {
    const before = ['Counters/BatchGet', 'FrequencyControl/BatchAddFreq', 'FrequencyControl/BatchGetFreq'].map(messages);
    const request = { businessId: 1, key: 'tick', timeSpan: 60 };
    const { counters, frequency } = client;
    const get = { businessId: 1, key: 'tick' };
    const calls = Array.from({ length: 100 }, () => [counters.get('tick'), frequency.add(request), frequency.get(get)]);
    await Promise.all(calls.flat());
    const after = ['Counters/BatchGet', 'FrequencyControl/BatchAddFreq', 'FrequencyControl/BatchGetFreq'].map(messages);
    assert.deepEqual(after.map((count, i) => count - before[i]!), [1, 1, 1]);
  });

  it('gathers calls while as many messages as may be are on their way', async () => {
    const narrow = createClient({ address: node.address, maxInFlight: 1 });
    const before = messages('Counters/StreamAdd');
    const calls: Promise<unknown>[] = [];
    for (let tick = 0; tick < 50; tick++) {
      calls.push(narrow.counters.add('narrow'));
      await new Promise(setImmediate);
    }
    await Promise.all(calls);
    assert.ok(messages('Counters/StreamAdd') - before < 50);
    assert.equal((await narrow.counters.get('narrow')).value, 50);
    await narrow.close();
  });

  it('gives each call of a tick its own answer, and a bad one its own error', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, i) => client.counters.add(`own:${i}`, i)));
    const answers = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) => client.counters.add(`own:${i}`, 1, i === 42 ? { type: 'unique', windowMs: 1000 } : {})),
    );
    const bad = answers[42]!;
    assert.ok(bad.status === 'rejected' && bad.reason instanceof TallystickError);
    assert.deepEqual([bad.reason.code, bad.reason.field], ['INVALID_KEY', 'member']);
    for (const [i, answer] of answers.entries()) {
      if (i !== 42) assert.ok(answer.status === 'fulfilled' && answer.value.value === i + 1, `${i}`);
    }
  });

  it('sends the good calls of a message again without the bad ones that had it refused', async () => {
    const request = (i: number) => ({ businessId: 5, key: `own:${i}`, timeSpan: i % 25 === 7 ? 2 ** 31 : 60, timeUnit: i % 25 === 7 ? 'DAY' as const : 'SEC' as const });
    const answers = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => client.frequency.add(request(i))));
    for (const [i, answer] of answers.entries()) {
      if (i % 25 !== 7) assert.ok(answer.status === 'fulfilled' && answer.value.freq === 1 && answer.value.key === `own:${i}`, `${i}`);
      else {
        assert.ok(answer.status === 'rejected');
        const { field, index, message } = answer.reason as TallystickError;
        assert.deepEqual([field, index, message], ['timeSpan', undefined, 'timeSpan: expected an integer from 1 to 49710, got 2147483648']);
      }
    }
  });

  it('refuses what the wire can not carry before it sends anything', async () => {
    const { counters, frequency } = client;
    const before = messages('Counters/StreamAdd') + messages('Counters/BatchAdd');
    const calls: [call: Promise<unknown>, code: string, field: string][] = [
      [counters.add('bad', 0.5), 'INVALID_AMOUNT', 'delta'],
      [counters.add('bad', NaN), 'INVALID_AMOUNT', 'delta'],
      [counters.add('bad', 2 ** 53), 'INVALID_AMOUNT', 'delta'],
      [counters.add('bad', 5n as never), 'INVALID_AMOUNT', 'delta'],
      [counters.add('bad', '5' as never), 'INVALID_AMOUNT', 'delta'],
      [counters.add(''), 'INVALID_KEY', 'key'],
      [counters.add('half \ud800 pair'), 'INVALID_KEY', 'key'],
      [counters.add('k'.repeat(513)), 'INVALID_KEY', 'key'],
      [counters.add(undefined as never), 'INVALID_KEY', 'key'],
      [counters.add('bad', 1, { min: 1.5 }), 'INVALID_AMOUNT', 'min'],
      [counters.add('bad', 1, { ttlMs: 0 }), 'INVALID_ARGUMENT', 'ttlMs'],
      [counters.add('bad', 1, { type: 'other' as never }), 'INVALID_ARGUMENT', 'type'],
      [counters.add('bad', 1, { requestId: '' }), 'INVALID_ARGUMENT', 'requestId'],
      [counters.add('bad', 1, { timeoutMs: 0 }), 'INVALID_ARGUMENT', 'timeoutMs'],
      [counters.add('bad', 1, { colour: 'red' } as never), 'UNKNOWN_FIELD', 'colour'],
      [counters.add('bad', 1, { constructor: 1 } as never), 'UNKNOWN_FIELD', 'constructor'],
      [counters.addMany([{ key: 'bad' }, { key: 'bad', delta: 0.5 }]), 'INVALID_AMOUNT', 'items[1].delta'],
      [counters.addMany([{ key: 'bad', timeoutMs: 5 } as never]), 'UNKNOWN_FIELD', 'items[0].timeoutMs'],
      [counters.addMany('bad' as never), 'INVALID_ARGUMENT', 'items'],
      [counters.getMany('bad' as never), 'INVALID_ARGUMENT', 'items'],
      [counters.getMany([null as never]), 'INVALID_ARGUMENT', 'items[0].item'],
      [frequency.add({ businessId: -1, key: 'bad', timeSpan: 1 }), 'INVALID_ARGUMENT', 'businessId'],
      [frequency.add({ businessId: 2 ** 32, key: 'bad', timeSpan: 1 }), 'INVALID_ARGUMENT', 'businessId'],
      [frequency.add({ businessId: 1, key: 'bad', timeSpan: 0 }), 'INVALID_ARGUMENT', 'timeSpan'],
      [frequency.batchAdd([{ businessId: 1, key: 'bad' } as never]), 'INVALID_ARGUMENT', 'requests[0].timeSpan'],
      [frequency.get({ key: 'bad' } as never), 'INVALID_ARGUMENT', 'businessId'],
    ];
    for (const [call, code, field] of calls) assert.deepEqual(await refusal(call).then((bad) => [bad.code, bad.field]), [code, field]);
    assert.equal(messages('Counters/StreamAdd') + messages('Counters/BatchAdd'), before);
    assert.equal((await counters.get('bad')).found, false);
  });

  it('refuses in the words of the library', async () => {
    const library = createTallystick({ store: memoryStore() });
    const calls: ((counters: ClientCounters) => Promise<unknown>)[] = [
      (counters) => counters.add('bad', 0.5),
      (counters) => counters.add('bad', '1'.repeat(50) as never),
      (counters) => counters.add('bad', 5n as never),
      (counters) => counters.add(''),
      (counters) => counters.add(7 as never),
      (counters) => counters.add('half \ud800 pair'),
      (counters) => counters.add('k'.repeat(513)),
      (counters) => counters.add('ü'.repeat(400)),
      (counters) => counters.add('bad', 1, { requestId: '' }),
      (counters) => counters.add('bad', 1, { requestTtlMs: 5 }),
      (counters) => counters.add('bad', 1, { ttlMs: 0 }),
      (counters) => counters.add('bad', 1, { type: 'sliding-log' }),
      (counters) => counters.add('bad', 1, { member: 'm' }),
      (counters) => counters.get('bad', { type: 'unique' }),
      (counters) => counters.addMany([{ key: 'bad' }, { key: 'bad', delta: 0.5 }]),
      (counters) => counters.addMany([{ key: 'bad', type: 'sliding-log' }]),
      (counters) => counters.addMany('bad' as never),
      (counters) => counters.getMany(['bad', '']),
      (counters) => counters.getMany([{ key: 'bad', type: 'unique' }]),
    ];
    const told = ({ code, message, field, index }: TallystickError): unknown[] => [code, message, field, index];
    for (const call of calls) assert.deepEqual(told(await refusal(call(client.counters))), told(await refusal(call(library.counters))), String(call));
    await library.close();
  });

  it('gives the server’s refusal of a whole batch with its index', async () => {
    const items = [{ key: 'whole' }, { key: 'whole', min: 2, max: 1 }];
    const bad = await refusal(client.counters.addMany(items));
    assert.deepEqual([bad.code, bad.field, bad.index], ['INVALID_ARGUMENT', 'items[1].min', 1]);
    assert.equal((await refusal(client.counters.addMany(Array.from({ length: 1001 }, () => ({ key: 'whole' }))))).code, 'BATCH_TOO_LARGE');
    assert.equal((await client.counters.get('whole')).found, false);
  });

  it('refuses settings that make no sense, naming the setting', () => {
    const bad: [options: object, field: string][] = [
      ...['', 'localhost', 'http://127.0.0.1:7071', '127.0.0.1:', '127.0.0.1:0', 'a:70710', '::1:7071', '[::1]', '[1.2.3.4]:1', 7071].map((address) =>
        [{ address }, 'address'] as [object, string]),
      [{ timeoutMs: 0 }, 'timeoutMs'],
      [{ timeoutMs: 2 ** 31 }, 'timeoutMs'],
      [{ maxBatchItems: 10_001 }, 'maxBatchItems'],
      [{ maxInFlight: 1.5 }, 'maxInFlight'],
      [{ retryWrites: 'yes' }, 'retryWrites'],
      [{ adress: 'x' }, 'adress'],
    ];
    for (const [options, field] of bad) {
      assert.throws(() => createClient(options), { name: 'TallystickError', code: 'INVALID_CONFIG', field });
    }
    const message = 'address: expected host:port, such as 127.0.0.1:7071 or [::1]:7071, got "http://127.0.0.1:7071"';
    assert.throws(() => createClient({ address: 'http://127.0.0.1:7071' }), { message });
  });

  it('takes the address of a node by name, IPv4 or IPv6', async () => {
    for (const address of ['localhost:7071', '127.0.0.1:1', '[::1]:65535', 'node-1.example:7071']) await createClient({ address }).close();
  });

  it('refuses more calls than may wait', async () => {
    const small = createClient({ address: node.address, maxPending: 10 });
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => small.counters.add('pending')));
    const codes = answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as TallystickError).code : 'applied'));
    assert.deepEqual(codes, [...Array.from({ length: 10 }, () => 'applied'), 'OVERLOADED', 'OVERLOADED']);
    await small.close();
  });

  it('answers what waits when it is closed, and refuses what comes after', async () => {
    const other = createClient({ address: node.address });
    const calls = [other.counters.add('closing'), other.counters.get('closing'), other.frequency.get({ businessId: 1, key: 'closing' })];
    await other.close();
    assert.deepEqual((await Promise.allSettled(calls)).map(({ status }) => status), ['fulfilled', 'fulfilled', 'fulfilled']);
    assert.equal((await refusal(other.counters.add('closing'))).code, 'CLOSED');
    await other.close();
  });
});
