// Short forms of `npm run prove -- redis`: client processes under load, real faults, and an account that balances.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario } from './account/run.ts';
import { SCENARIOS } from './account/scenarios.ts';

/** The most telling scenarios, with how often the fault strikes. */
const SHORT = { 'dropped-replies': 4, 'lost-tail': 2, 'lagging-failover': 1, 'killed-clients': 1 } as const;

describe('the account of several processes on Redis', () => {
  for (const [name, strikes] of Object.entries(SHORT)) {
    const scenario = SCENARIOS[name]!;
    it(`balances to the unit: ${scenario.what} (D03, R05)`, async (t) => {
      const { ours, control, seen } = await runScenario(scenario, { processes: 2, strikes });
      t.diagnostic(JSON.stringify({ ours, control, seen }));
      assert.equal(ours.difference, 0);
      assert.ok(scenario.hasBitten(seen), 'the fault did its work');
      const { unsettled, lostBatches, dropped } = seen;
      assert.deepEqual({ unsettled, lostBatches, dropped }, { unsettled: 0, lostBatches: 0, dropped: 0 });
    });
  }
});
