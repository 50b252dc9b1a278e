// Cases K: keys and identity.
import assert from 'node:assert/strict';
import { joinKey, MAX_KEY_BYTES, type CounterOptions } from 'tallystick';
import { Count } from 'tallystick/decorators';
import { codeOf, DOORS, group, openWorld, standsAt, times, valueOf } from './harness.ts';
import { post } from './http-door.ts';

const PROPERTY_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
const ODD_KEYS = ['\n', '\r\n', '\t', ' ', '\0', '*', ':', '{', '}', '%', '/', '?a=b', '#', '\\', '\'"', '../x', '\u2028', '\ufeff', '😀'];


group('K: keys', ({ everywhere, once, store }) => {
  for (const [i, key] of PROPERTY_NAMES.entries()) {
    everywhere(`K01 ${key} as key and member is absent, then 1, then in a batch 2, and Object.prototype is as it was`, async ({ counters, door }) => {
      // One key through three doors: each has a counter of its own by its window.
      const own = { type: 'sliding-log', windowMs: 1_000_000 + i * 10 + DOORS.indexOf(door) } as const;
      assert.deepEqual(await counters.get(key, own), { value: 0, found: false, exact: true });
      assert.equal((await counters.add(key, 1, own)).value, 1);
      assert.deepEqual((await counters.addMany([{ key, ...own }])).map(({ value }) => value), [2]);
      assert.deepEqual((await counters.getMany([{ key, ...own }])).map(({ value }) => value), [2]);
      const unique = { type: 'unique', windowMs: own.windowMs } as const;
      assert.equal((await counters.add(key, 1, { ...unique, member: key })).value, 1);
      assert.equal((await counters.add(key, 1, { ...unique, member: key })).delta, 0);
      assert.equal(({} as Record<string, unknown>)['value'], undefined);
    });
  }

  once('K01 names of properties are plain counters, declarations and request ids', async ({ counters }) => {
    for (const key of PROPERTY_NAMES) {
      assert.deepEqual(await counters.get(key), { value: 0, found: false, exact: true }, key);
      assert.equal((await counters.add(key, 1, { requestId: key })).value, 1, key);
      assert.equal((await counters.add(key, 1, { requestId: key })).replayed, true, key);
      assert.equal(await valueOf(counters, key), 1, key);
    }
    const declared = Object.fromEntries(PROPERTY_NAMES.map((key) => [key, { type: 'batched' } satisfies CounterOptions]));
    await using world = await openWorld(store, { counters: declared });
    for (const key of PROPERTY_NAMES) assert.equal((await world.doors.HTTP.add(key)).outcome, 'accepted', key);
    assert.equal((await world.doors.HTTP.add('toLocaleString')).outcome, 'applied');
  });

  everywhere('K02 control characters, spaces and marks are stored exactly, each a counter of its own, and others are undisturbed', async (at) => {
    const { counters, key } = at;
    const odd = ODD_KEYS.flatMap((text) => [`${key}${text}`, `${key}${text}${text}`]);
    for (const [i, one] of odd.entries()) assert.equal((await counters.add(one, i + 1)).value, i + 1, JSON.stringify(one));
    const others = await counters.addMany(times(100, (i) => ({ key: `${key}other${i}`, delta: i })));
    assert.deepEqual(others.map(({ value }) => value), times(100, (i) => i));
    for (const [i, one] of odd.entries()) await standsAt(at, one, i + 1);
    assert.deepEqual((await counters.getMany(odd)).map(({ value }) => value), odd.map((_, i) => i + 1));
  });

  everywhere('K02 keys of 1 kB and 10 kB, empty ones and half surrogates are INVALID_KEY, and nothing is counted', async ({ counters, key }) => {
    for (const bad of ['x'.repeat(1024), 'x'.repeat(10_240), '\ud800', 'a\udc00']) {
      // A URL cannot carry half a surrogate pair at all.
      if (bad.isWellFormed()) assert.equal(await codeOf(counters.add(bad)), 'INVALID_KEY');
      assert.equal(await codeOf(counters.addMany([{ key }, { key: bad }])), 'INVALID_KEY');
      assert.notEqual(await codeOf(counters.getMany([key, bad])), 'answered');
    }
    assert.equal(await codeOf(counters.addMany([{ key }, { key: '' }])), 'INVALID_KEY');
    assert.equal(await valueOf(counters, key), 0);
  });

  everywhere('K04 café composed and decomposed are two counters of 1', async (at) => {
    const { counters, key } = at;
    for (const text of ['caf\u00e9', 'cafe\u0301']) assert.equal((await counters.add(key + text)).value, 1);
    for (const text of ['caf\u00e9', 'cafe\u0301']) await standsAt(at, key + text, 1);
    await standsAt(at, `${key}cafe`, 0);
  });

  everywhere('K05 key, KEY, kéy and "key " are four counters of 1', async (at) => {
    const { counters, key } = at;
    const keys = ['key', 'KEY', 'k\u00e9y', 'key '].map((text) => `${key}:${text}`);
    for (const one of keys) assert.equal((await counters.add(one)).value, 1);
    for (const one of keys) await standsAt(at, one, 1);
  });

  everywhere('K06 a key of 512 bytes is counted, one byte more is INVALID_KEY, whatever the characters; none is cut or merged', async (at) => {
    const { counters, key } = at;
    const fill = (text: string): string => {
      const room = MAX_KEY_BYTES - Buffer.byteLength(key);
      const size = Buffer.byteLength(text);
      return key + text.repeat(Math.floor(room / size)) + 'x'.repeat(room % size);
    };
    for (const text of ['a', 'é', '€', '😀']) {
      const longest = fill(text);
      assert.equal(Buffer.byteLength(longest), MAX_KEY_BYTES);
      assert.equal((await counters.add(longest)).value, 1);
      for (const end of ['1', '2', '😀']) assert.equal(await codeOf(counters.add(longest + end)), 'INVALID_KEY');
      await standsAt(at, longest, 1);
    }
  });

  everywhere('K09 six pairs of parts that look alike are six counters of 1', async ({ counters, key }) => {
    const pairs = [['a', 'bc'], ['ab', 'c'], ['a:b', 'c'], ['a', 'b:c'], ['', 'x'], ['x', '']];
    const keys = pairs.map((parts) => joinKey(key, ...parts));
    assert.equal(new Set(keys).size, 6);
    assert.deepEqual((await counters.addMany(keys.map((one) => ({ key: one })))).map(({ value }) => value), times(6, () => 1));
  });

  once('K09 a business and a key of frequencies are never taken for another pair', async ({ url, key }) => {
    const pairs: [number, string][] = [[1, `1:${key}`], [11, `:${key}`], [1, key], [11, key], [1, `1${key}`]];
    for (const [business_id, name] of pairs) {
      const reply = await post(`${url}/v1/frequency/add`, { business_id, key: name, time_span: 60 });
      assert.equal(reply['freq'], 1, `${business_id} ${name}`);
    }
  });

  once('K11 a caller without identity is not counted: no counter is named undefined, null, NaN or [object Object]', async ({ counters, tallystick }) => {
    const failures: unknown[] = [];
    const of = { counters: () => tallystick.counters, onError: (error: unknown) => void failures.push(error) };
    class Site {
      @Count({ ...of, key: '{id}' })
      byTemplate(_who: { id?: unknown }): string { return 'served'; }
      @Count({ ...of, key: (who: { id?: unknown }) => who.id as string })
      byFunction(_who: { id?: unknown }): string { return 'served'; }
      @Count({ ...of, key: () => { throw new Error('who?'); } })
      byChance(): string { return 'served'; }
    }
    const site = new Site();
    const nobodies = [undefined, null, '', NaN, {}, []];
    for (const id of nobodies) assert.deepEqual([site.byTemplate({ id }), site.byFunction({ id }), site.byChance()], ['served', 'served', 'served']);
    await new Promise(setImmediate);
    assert.equal(failures.length, nobodies.length * 3);
    for (const name of ['undefined', 'null', 'NaN', '[object Object]', 'Error: who?']) assert.equal(await valueOf(counters, name), 0, name);
  });

  everywhere('K11 a key that is undefined, null, NaN, a number or an object is INVALID_KEY in a batch', async ({ counters, key }) => {
    for (const bad of [undefined, null, NaN, 5, {}, ['a'], true]) {
      const call = counters.addMany([{ key }, { key: bad as string }]);
      assert.equal(await codeOf(call), 'INVALID_KEY', JSON.stringify(bad));
    }
    assert.equal(await valueOf(counters, key), 0);
  });
});
