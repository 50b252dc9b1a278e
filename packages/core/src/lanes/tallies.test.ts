import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StillWorld } from '../../../../test/support/scripted-store.ts';
import { TallystickError } from '../errors.ts';
import { MAX_VALUE } from '../model/amount.ts';
import type { LaneEvent } from './events.ts';
import { Tallies, type TallyOptions } from './tallies.ts';

interface Handed {
  readonly key: string;
  readonly delta: number;
  readonly answer: (value: number) => void;
  readonly refuse: (code: 'OVERLOADED' | 'OUT_OF_RANGE') => void;
}

function setUp(options: Partial<TallyOptions> = {}) {
  const world = new StillWorld();
  const handed: Handed[] = [];
  const events: LaneEvent[] = [];
  const tallies = new Tallies({
    environment: world.environment,
    flushEveryMs: 100,
    flushAfterAdds: 1000,
    maxPending: 10,
    termsOf: () => undefined,
    isAway: () => false,
    handOver: ({ key, delta }, resolve, reject) => {
      handed.push({
        key,
        delta,
        answer: (value) => { resolve({ outcome: 'applied', value, exact: true, delta }); },
        refuse: (code) => { reject(new TallystickError(code, 'refused')); },
      });
    },
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { world, handed, events, tallies, told: () => handed.map(({ key, delta }) => `${key} ${delta}`) };
}

describe('Tallies', () => {
  it('hand over one sum per key every interval', async () => {
    const { world, tallies, told } = setUp();
    for (let i = 0; i < 50; i++) tallies.add('a', 1);
    tallies.add('b', -3);
    await world.pass(99);
    assert.deepEqual(told(), []);
    await world.pass(1);
    assert.deepEqual(told(), ['a 50', 'b -3']);
  });

  it('hand over as soon as so many adds were absorbed', () => {
    const { tallies, told } = setUp({ flushAfterAdds: 3 });
    for (const key of ['a', 'b', 'a']) tallies.add(key, 1);
    assert.deepEqual(told(), ['a 2', 'b 1']);
  });

  it('know what is absorbed, what is handed over, and the last exact value', async () => {
    const { world, handed, tallies } = setUp();
    const tally = tallies.add('a', 2);
    await world.pass(100);
    tallies.add('a', 3);
    assert.deepEqual([tally.delta, tally.flying, tally.base], [3, 2, undefined]);
    handed[0]!.answer(12);
    await world.pass();
    assert.deepEqual([tally.delta, tally.flying, tally.base], [3, 0, 12]);
    assert.equal(tallies.find('a'), tally);
  });

  it('hand over nothing for amounts that cancel', async () => {
    const { world, tallies, told } = setUp();
    tallies.add('a', 2);
    tallies.add('a', -2);
    await world.pass(100);
    assert.deepEqual(told(), []);
    assert.equal(tallies.size, 0);
  });

  it('drop a key that has become idle, and then leave no timer behind', async () => {
    const { world, handed, tallies } = setUp();
    tallies.add('a', 1);
    await world.pass(100);
    handed[0]!.answer(1);
    assert.equal(tallies.size, 1);
    await world.pass(100);
    assert.equal(tallies.size, 0);
    assert.ok(world.isAtRest);
  });

  it('keep an amount that a full lane gives back, and offer it again', async () => {
    const { world, handed, events, tallies, told } = setUp();
    const tally = tallies.add('a', 5);
    await world.pass(100);
    handed[0]!.refuse('OVERLOADED');
    tallies.add('a', 1);
    await world.pass();
    assert.deepEqual([tally.delta, tally.flying], [6, 0]);
    await world.pass(100);
    assert.deepEqual(told(), ['a 5', 'a 6']);
    assert.deepEqual(events, []);
  });

  it('report an amount that the store refuses for good', async () => {
    const { world, handed, events, tallies } = setUp();
    tallies.add('a', 5);
    await world.pass(100);
    handed[0]!.refuse('OUT_OF_RANGE');
    await world.pass();
    assert.deepEqual(events.map((event) => event.type === 'dropped' && [event.key, event.delta, (event.error as TallystickError).code]), [['a', 5, 'OUT_OF_RANGE']]);
  });

  it('refuse what cannot be counted, and count nothing of it', () => {
    const { tallies } = setUp();
    const refusals: [string, number, string][] = [['', 1, 'INVALID_KEY'], ['a', 0.5, 'INVALID_AMOUNT'], ['a', NaN, 'INVALID_AMOUNT']];
    for (const [key, delta, code] of refusals) assert.throws(() => tallies.add(key, delta), { code });
    assert.equal(tallies.size, 0);
    tallies.add('a', MAX_VALUE);
    assert.throws(() => tallies.add('a', 1), { code: 'OUT_OF_RANGE', field: 'delta' });
    assert.throws(() => tallies.add('a', 1.5), { code: 'INVALID_AMOUNT' });
    assert.equal(tallies.find('a')?.delta, MAX_VALUE);
  });

  it('refuse a new key with OVERLOADED when as many are pending as may, and go on with the others', () => {
    const { tallies } = setUp({ maxPending: 2 });
    for (const key of ['a', 'b']) tallies.add(key, 1);
    assert.throws(() => tallies.add('c', 1), { code: 'OVERLOADED' });
    assert.equal(tallies.add('b', 1).delta, 2);
  });

  it('take the terms of a key once', () => {
    const terms = { kind: 'count', ttlMs: 5 } as const;
    const asked: string[] = [];
    const { tallies } = setUp({ termsOf: (key) => { asked.push(key); return terms; } });
    tallies.add('a', 1);
    assert.equal(tallies.add('a', 1).terms, terms);
    assert.deepEqual(asked, ['a']);
    assert.deepEqual([tallies.fits('a', terms), tallies.fits('a', undefined), tallies.fits('b', undefined)], [true, false, true]);
  });
});

describe('Closing tallies', () => {
  it('hands everything over and waits for the answers', async () => {
    const { world, handed, tallies, told } = setUp();
    tallies.add('a', 1);
    tallies.add('b', 2);
    let isDrained = false;
    const drained = tallies.drain().then(() => { isDrained = true; });
    assert.deepEqual(told(), ['a 1', 'b 2']);
    assert.throws(() => tallies.add('a', 1), { code: 'CLOSED' });
    assert.throws(() => tallies.add('new', 1), { code: 'CLOSED' });
    handed[0]!.answer(1);
    await world.pass();
    assert.equal(isDrained, false);
    handed[1]!.answer(2);
    await drained;
    await world.pass();
    assert.ok(world.isAtRest);
  });

  it('offers a full lane the same amounts until it takes them', async () => {
    const { world, handed, tallies, told } = setUp();
    tallies.add('a', 1);
    const drained = tallies.drain();
    for (let i = 0; i < 3; i++) {
      handed[i]!.refuse('OVERLOADED');
      await world.pass(10);
    }
    handed[3]!.answer(1);
    await drained;
    assert.deepEqual(told(), ['a 1', 'a 1', 'a 1', 'a 1']);
  });

  it('can be given up, and tells how many keys had amounts that were not handed over', async () => {
    const { world, tallies } = setUp();
    tallies.add('flying', 1);
    await world.pass(100);
    tallies.add('absorbed', 1);
    tallies.add('cancelled', 1);
    tallies.add('cancelled', -1);
    assert.equal(tallies.abandon(), 1);
    assert.equal(tallies.size, 0);
    await world.pass(1000);
    assert.ok(world.isAtRest);
  });

  it('has nothing to wait for when nothing was absorbed', async () => {
    await setUp().tallies.drain();
  });

  it('keep an amount that a full lane gives back after another one has cancelled it out', async () => {
    const { world, handed, tallies, events } = setUp();
    tallies.add('a', 5);
    await world.pass(100);
    tallies.add('a', -5);
    await world.pass(200);
    handed[1]!.refuse('OVERLOADED');
    handed[0]!.answer(5);
    await world.pass(100);
    assert.deepEqual(handed.map(({ delta }) => delta), [5, -5, -5]);
    assert.deepEqual(events, []);
  });
});
