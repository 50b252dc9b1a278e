import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mutants } from './mutants.ts';
import { runSeed } from './run.ts';

/** Seeds within which every mutant must be found. */
const MOST_SEEDS = 1_000;

describe('the simulator finds a planted fault:', () => {
  for (const [name, mutant] of Object.entries(mutants)) {
    it(name, async (t) => {
      for (let seed = 1; seed <= MOST_SEEDS; seed++) {
        const fault = await runSeed(seed, mutant).then(() => undefined, (error: unknown) => error as Error);
        if (fault === undefined) continue;
        t.diagnostic(fault.message.split('\n')[0]!);
        return;
      }
      assert.fail(`not found within ${MOST_SEEDS} seeds`);
    });
  }

  it('and finds none in the real parts, under the same scenarios', async () => {
    for (const { scenario } of Object.values(mutants)) {
      if (scenario === undefined) continue;
      for (let seed = 1; seed <= 20; seed++) await runSeed(seed, { scenario });
    }
  });
});
