import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { steadyClock } from '../model/clock.ts';
import { Replica } from '../replica/replica.ts';
import { histories, HISTORY_RETENTION_MS, HISTORY_STARTS_MS, type History, type Step } from './histories.ts';
import { manualClock } from '../model/manual-clock.ts';
import type { StoreUnderTest } from './contract/session.ts';

/** How much {@link agreesWithReplica} does. */
export interface AgreementOptions {
  /** Number of histories for each number of partitions. Default 100. */
  readonly numRuns?: number;
  /** fast-check's seed, to see a failure again. Default: another one each time, printed on failure. */
  readonly seed?: number;
  /** Whether the store keeps limits. Default true. */
  readonly limits?: boolean;
}

/** Says the same to a store and to a replica, and compares what they answer. */
async function follow(history: History, open: StoreUnderTest['open'], partitions: number): Promise<void> {
  const clock = manualClock(HISTORY_STARTS_MS);
  const store = await open({ clock, partitions, requestRetentionMs: HISTORY_RETENTION_MS });
  const replica = new Replica({ requestRetentionMs: HISTORY_RETENTION_MS });
  const steady = steadyClock(clock);
  const step = async (given: Step): Promise<void> => {
    switch (given.type) {
      case 'apply':
        assert.deepEqual(await store.apply(given.batch), replica.apply(given.batch, steady()));
        return;
      case 'read':
        assert.deepEqual(
          await store.read(given.partition, given.queries),
          given.queries.map((query) => replica.read(query, steady())),
        );
        return;
      case 'clock':
        clock.set(given.nowMs);
        // Both see every place the clock was at: a step back that nobody saw would be none.
        await store.read(0, [{ key: 'unused' }]);
        steady();
    }
  };
  try {
    for (const given of history) await step(given);
  } finally {
    await store.close();
  }
}

/**
 * Registers a property test: on random histories a store gives the same replies and readings, to the
 * millisecond, as the pure replica.
 *
 * @example agreesWithReplica({ name: 'memory store', open: (options) => memoryStore(options) })
 */
export function agreesWithReplica({ name, open }: StoreUnderTest, { numRuns = 100, seed, limits = true }: AgreementOptions = {}): void {
  describe(`${name} and the pure replica`, () => {
    for (const partitions of [1, 3]) {
      it(`say the same on random histories over ${partitions} partition${partitions === 1 ? '' : 's'}`, async () => {
        const property = fc.asyncProperty(histories({ partitions, limits: limits ? 'all' : 'none' }), (history) => follow(history, open, partitions));
        await fc.assert(property, { numRuns, ...(seed !== undefined && { seed }) });
      });
    }

    it('say the same on random histories of limits', { skip: !limits && 'this store keeps no limits' }, async () => {
      const property = fc.asyncProperty(histories({ limits: 'only' }), (history) => follow(history, open, 1));
      await fc.assert(property, { numRuns, ...(seed !== undefined && { seed }) });
    });
  });
}
