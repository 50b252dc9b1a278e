// Short forms of `npm run prove -- drill`, `sink` and `drill-mutants`.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differenceIn, tableOf } from '../../packages/server/src/cli/drill/account.ts';
import { runDrill } from '../../packages/server/src/cli/drill/run.ts';
import { drillMutant, MUTANTS, scenarioOf } from './mutants.ts';

const STRIKES = 2;

describe('a drill', () => {
  for (const name of ['killed-worker', 'lost-commits', 'killed-client']) {
    const { scenario, kafkaJars } = scenarioOf(name);
    it(`balances: ${scenario.what}`, async (t) => {
      const account = await runDrill(scenario, { strikes: STRIKES, ledger: true, kafkaJars });
      t.diagnostic(`\n${tableOf(account).join('\n')}`);
      assert.equal(differenceIn(account), 0);
      for (const { keyClass, acknowledged } of account) assert.ok(acknowledged > 0, keyClass);
    });
  }
  for (const mutant of MUTANTS.filter(({ scenario }) => scenario !== 'killed-sink')) {
    it(`finds ${mutant.what}, and names the account that is off`, async (t) => {
      const account = await drillMutant(mutant, 4);
      t.diagnostic(`\n${tableOf(account).join('\n')}`);
      const off = account.filter(({ difference }) => difference > 0);
      assert.ok(off.length > 0);
      assert.ok(off.every(mutant.isOff));
    });
  }
});
