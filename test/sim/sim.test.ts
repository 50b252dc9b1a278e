import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSeed, type Outcome } from './run.ts';

/** Seeds run here; `npm run prove -- sim` runs as many as are wanted. */
const SEEDS = 2_000;
const AT_A_TIME = 500;

describe('lanes and store on a simulated network', () => {
  const outcomes: Outcome[] = [];
  for (let first = 1; first <= SEEDS; first += AT_A_TIME) {
    it(`balance to the unit in seeds ${first} to ${first + AT_A_TIME - 1}`, async () => {
      for (let seed = first; seed < first + AT_A_TIME; seed++) outcomes.push(await runSeed(seed));
    });
  }

  it('went through every kind of fault in these seeds', () => {
    const sum = (figure: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + figure(outcome), 0);
    assert.equal(outcomes.length, SEEDS);
    const figures = {
      asks: sum(({ asks }) => asks),
      resends: sum(({ resends }) => resends),
      losses: sum(({ losses }) => losses),
      lostBatches: sum(({ lostBatches }) => lostBatches),
      deaths: sum(({ deaths }) => deaths),
    };
    for (const [name, figure] of Object.entries(figures)) assert.ok(figure > 30, `only ${figure} ${name}`);
  });

  it('have one history per seed', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const [one, other] = await Promise.all([runSeed(seed), runSeed(seed)]);
      assert.deepEqual(one, other, `seed ${seed}`);
      assert.deepEqual(one, outcomes[seed - 1], `seed ${seed}, after other seeds`);
    }
    assert.ok(new Set(outcomes.map(({ hash }) => hash)).size > SEEDS * 0.99, 'seeds have histories of their own');
  });

  it('let no counter live longer than declared when the wall clock of the store is set (T07)', async () => {
    const scenario = { keys: ['expiring:0'], calls: 10, paceMs: 200, clockSteps: 8, storeFaults: 0 };
    for (let seed = 1; seed <= 100; seed++) await runSeed(seed, { scenario });
  });

  it('count exactly when a store comes back without what is too old to be sent again', async () => {
    const scenario = { storeFaults: 3, comebacks: ['behind'], paceMs: 150_000, flushEveryMs: 15_000, calls: 10, awayMs: 1_000, endsQuietly: false } as const;
    let lostBatches = 0;
    for (let seed = 1; seed <= 100; seed++) lostBatches += (await runSeed(seed, { scenario })).lostBatches;
    assert.ok(lostBatches > 0, 'some were');
  });
});
