import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ledger } from '../ledger/ledger.ts';
import { decodeHead } from '../record.ts';
import { Restorer, type Restorable, type Restored } from './restorer.ts';

/** A store that writes down what it is told, and refuses from step `refusesFrom` on. */
function storeOf(refusesFrom = Infinity): { store: Restorable; steps: unknown[] } {
  const steps: unknown[] = [];
  const step = (what: unknown): Promise<boolean> => Promise.resolve(steps.push(what) < refusesFrom);
  const store: Restorable = {
    begin: () => Promise.resolve({
      nowMs: 1000,
      load: (totals) => step(totals),
      loadSources: (progress) => step([...progress]),
      open: (notBeforeMs) => step(notBeforeMs),
    }),
  };
  return { store, steps };
}

/** As much of a ledger as a restorer asks for. */
function ledgerOf(totals: [string, bigint][], progress = new Map([['a', 3], ['restore:1', 1]])): Ledger & { asked: string[] } {
  const asked: string[] = [];
  const some: Partial<Ledger> = {
    restorePoint: (_, nowMs) => Promise.resolve(asked.push('point')).then(() => ({ progress, atMs: nowMs + 1 })),
    totals: (_, afterKey, limit) => Promise.resolve(totals.filter(([key]) => key > afterKey).slice(0, limit)),
    progress: (_, [source = ''] = []) => Promise.resolve(new Map(asked.push('drained?') > 2 ? [[source, 1]] : [])),
  };
  return { ...(some as Ledger), asked };
}

describe('the restorer', () => {
  it('loads all totals and sources, but those of restores, and opens at the time of the ledger', async () => {
    const { store, steps } = storeOf();
    const totals = Array.from({ length: 20_001 }, (_, i): [string, bigint] => [String(i).padStart(6, '0'), BigInt(i)]);
    const told: Restored[] = [];
    await new Restorer({ store, ledger: ledgerOf(totals), onRestored: (one) => told.push(one) }).restore(2);
    assert.deepEqual(steps.slice(0, 2).flat(), totals.map(([key, value]) => [key, Number(value)]));
    assert.deepEqual(steps.slice(2), [[['a', 3]], 1001]);
    assert.deepEqual(told.map(({ partition, counters, sources }) => [partition, counters, sources]), [[2, 20_001, 1]]);
  });

  it('settles the point when a record of its own has come through the log', async () => {
    const ledger = ledgerOf([]);
    const sent: string[] = [];
    const log = {
      deliver: (partition: number, [record]: readonly Uint8Array[]) => Promise.resolve(void sent.push(decodeHead(partition, record!).source)),
      close: () => Promise.resolve(),
    };
    await new Restorer({ store: storeOf().store, ledger, log }).restore(0);
    assert.match(String(sent), /^restore:/);
    assert.deepEqual(ledger.asked, ['drained?', 'drained?', 'drained?', 'point']);
  });

  it('leaves all to another who has taken over, at any step', async () => {
    for (const [refusesFrom, left] of [[1, 1], [2, 2], [3, 3]] as const) {
      const { store, steps } = storeOf(refusesFrom);
      const told: Restored[] = [];
      await new Restorer({ store, ledger: ledgerOf([['k', 1n]]), onRestored: (one) => told.push(one) }).restore(0);
      assert.equal(steps.length, left);
      assert.deepEqual(told, []);
    }
  });

  it('does not open with a total that is none', async () => {
    const { store, steps } = storeOf();
    await assert.rejects(new Restorer({ store, ledger: ledgerOf([['k', 2n ** 53n]]) }).restore(0), { code: 'DATA_CORRUPT', message: /"k", got 9007199254740992/ });
    assert.deepEqual(steps, []);
  });
});
