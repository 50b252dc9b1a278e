// Cases N: precision, range and type of numbers.
import assert from 'node:assert/strict';
import { MAX_VALUE, type AddResult } from 'tallystick';
import { codeOf, group, standsAt, times, valueOf } from './harness.ts';
import { post } from './http-door.ts';

/** Anything but an integer in range; what JSON cannot carry is left out where JSON is the wire. */
const BAD_AMOUNTS: readonly unknown[] = [1.5, NaN, Infinity, -Infinity, null, true, '', ' 1 ', '5abc', '0x10', '1e3', '1', [], {}, 10n, 1e21, 2 ** 53, -(2 ** 53)];

group('N: numbers', ({ everywhere, once }) => {
  everywhere('N01 2^53 − 2 and 1 is 2^53 − 1 exactly, single and in a batch, returned and read; 1 more is refused', async (at) => {
    const { counters, key } = at;
    await counters.add(key, MAX_VALUE - 2);
    assert.equal((await counters.add(key, 1)).value, MAX_VALUE - 1);
    assert.deepEqual((await counters.addMany([{ key }])).map(({ value }) => value), [MAX_VALUE]);
    assert.equal(await codeOf(counters.add(key, 1)), 'OUT_OF_RANGE');
    await standsAt(at, key, MAX_VALUE);
  });

  everywhere('N02 large amounts are exact, +1 neither repeats nor skips up to the end of the range, 1e21 is INVALID_AMOUNT', async (at) => {
    const { counters, key } = at;
    assert.equal((await counters.add(key, 100_000_000_000_000)).value, 100_000_000_000_000);
    assert.equal((await counters.add(key, 8_906_199_254_740_987)).value, 9_006_199_254_740_987);
    await counters.add(key, 1_000_000_000_000);
    const values = [];
    for (let i = 0; i < 4; i++) values.push((await counters.add(key, 1)).value);
    assert.deepEqual(values, [MAX_VALUE - 3, MAX_VALUE - 2, MAX_VALUE - 1, MAX_VALUE]);
    for (const delta of [1e21, 123_456_789_012_345_680]) assert.equal(await codeOf(counters.add(key, delta)), 'INVALID_AMOUNT');
    await standsAt(at, key, MAX_VALUE);
  });

  everywhere('N03 a change out of the range is OUT_OF_RANGE at both ends, the value unchanged, and the other 9 of its batch are applied', async (at) => {
    const { counters, key } = at;
    for (const sign of [1, -1]) {
      const full = `${key}:${sign}`;
      await counters.add(full, sign * MAX_VALUE);
      assert.equal(await codeOf(counters.add(full, sign)), 'OUT_OF_RANGE');
      assert.equal(await codeOf(counters.add(full, sign * 2 ** 63)), 'INVALID_AMOUNT');
      const items = times(10, (i) => (i === 4 ? { key: full, delta: sign } : { key: `${full}:${i}`, delta: sign }));
      const results = await counters.addMany(items);
      assert.deepEqual(results.map((result) => (result.outcome === 'refused' ? [result.code, result.value] : result.value)),
        times(10, (i) => (i === 4 ? ['OUT_OF_RANGE', sign * MAX_VALUE] : sign)));
      await standsAt(at, full, sign * MAX_VALUE);
    }
  });

  once('N03 200 callers at the end of the range: 7 fit, 193 are OUT_OF_RANGE, the value is 2^53 − 1', async (at) => {
    const { counters, key } = at;
    await counters.add(key, MAX_VALUE - 7);
    const codes = await Promise.all(times(200, () => codeOf(counters.add(key, 1))));
    assert.equal(codes.filter((code) => code === 'answered').length, 7);
    assert.equal(codes.filter((code) => code === 'OUT_OF_RANGE').length, 193);
    await standsAt(at, key, MAX_VALUE);
  });

  once('N06 amounts over JSON are plain numbers: text and 9007199254740993 are INVALID_AMOUNT and nothing is counted', async (at) => {
    const { key, url } = at;
    for (const delta of ['"9007199254740993"', '9007199254740993', '-9007199254740993', '9007199254740992.5', '1e400', '"1"']) {
      assert.equal(await codeOf(post(`${url}/v1/counters/${key}`, `{"delta":${delta}}`)), 'INVALID_AMOUNT', delta);
    }
    assert.deepEqual(await at.doors.HTTP.get(key), { value: 0, found: false, exact: true });
    assert.equal((await post(`${url}/v1/counters/${key}`, '{"delta":9007199254740991}'))['value'], MAX_VALUE);
  });

  everywhere('N06 −(2^53 − 1) written through one door is the same JavaScript number through all', async (at) => {
    await at.counters.add(at.key, -MAX_VALUE);
    await standsAt(at, at.key, -MAX_VALUE);
  });

  once('N07 a bigint as amount, key, member or option is refused with a code, and its message is text', async ({ counters, key }) => {
    const big = 9007199254740993n as unknown as number;
    const calls = [
      counters.add(key, big),
      counters.add(big as unknown as string),
      counters.add(key, 1, { ttlMs: big }),
      counters.add(key, 1, { max: big }),
      counters.add(key, 1, { type: 'unique', windowMs: 1000, member: big as unknown as string }),
      counters.add(key, 1, { requestId: big as unknown as string }),
      counters.addMany([{ key, delta: big }]),
      counters.get(key, { type: 'unique', windowMs: big }),
    ];
    const codes = await Promise.all(calls.map(codeOf));
    assert.deepEqual(codes, ['INVALID_AMOUNT', 'INVALID_KEY', 'INVALID_ARGUMENT', 'INVALID_AMOUNT', 'INVALID_KEY', 'INVALID_ARGUMENT', 'INVALID_AMOUNT', 'INVALID_ARGUMENT']);
    assert.equal(await valueOf(counters, key), 0);
  });

  once('N07 health, metrics and a debug line of a refusal are given while a counter stands at 2^53 − 1', async ({ counters, key, url }) => {
    await counters.add(key, MAX_VALUE);
    assert.equal(await codeOf(post(`${url}/v1/counters/${key}`, '{"delta":1}')), 'OUT_OF_RANGE');
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.match(await (await fetch(`${url}/metrics`)).text(), /counter_increment_total\{.*refused.*\} [1-9]/);
  });

  everywhere('N09 a bad amount is refused, touches no lifetime and leaves the value; 0 and −0 count nothing', async (at) => {
    const { counters, key, clock, door } = at;
    await counters.add(key, 5, { ttlMs: 60_000 });
    clock.advance(1000);
    for (const delta of BAD_AMOUNTS) {
      if (door === 'HTTP' && (typeof delta === 'bigint' || delta === undefined)) continue;
      assert.equal(await codeOf(counters.add(key, delta as number)), 'INVALID_AMOUNT', String(delta));
      assert.equal(await codeOf(counters.addMany([{ key, delta: 1 }, { key, delta: delta as number }])), 'INVALID_AMOUNT', String(delta));
    }
    for (const delta of [0, -0]) {
      const { value, delta: counted } = await counters.add(key, delta);
      assert.deepEqual([value, Object.is(counted, 0)], [5, true]);
    }
    assert.deepEqual(await counters.get(key), { value: 5, found: true, exact: true, ttlMs: 59_000 });
    assert.equal((await counters.add(key, -3)).value, 2);
  });

  everywhere('N12 below zero is −1, at the floor of 0 it is 0 with delta 0, and 99 others of the batch are applied', async (at) => {
    const { counters, key } = at;
    assert.equal((await counters.add(key, -1)).value, -1);
    const floored = `${key}:floored`;
    const results = (await counters.addMany([{ key: floored, delta: -1, min: 0 }, ...times(99, (i) => ({ key: `${key}:${i}` }))])) as AddResult[];
    assert.deepEqual([results[0]?.value, results[0]?.delta], [0, 0]);
    assert.ok(results.slice(1).every(({ value, outcome }) => value === 1 && outcome === 'applied'));
    await standsAt(at, floored, 0);
  });
});
