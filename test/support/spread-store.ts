/** A spread store in memory: every partition is a replica of its own, as where each may be on another server. */
import type { Reading, Reply } from '../../packages/core/src/model/answer.ts';
import type { Batch } from '../../packages/core/src/model/batch.ts';
import type { Query } from '../../packages/core/src/model/operation.ts';
import { Replica } from '../../packages/core/src/replica/replica.ts';
import type { Store } from '../../packages/core/src/store.ts';

const NOW_MS = 1_700_000_000_000;

export class SpreadStore implements Store {
  readonly isSpread = true;
  readonly replicas: readonly Replica[];
  /** How often each partition was read. */
  readonly reads: number[];

  constructor(partitions: number) {
    this.replicas = Array.from({ length: partitions }, () => new Replica());
    this.reads = this.replicas.map(() => 0);
  }

  get partitions(): number {
    return this.replicas.length;
  }

  apply(batch: Batch): Promise<Reply> {
    return Promise.resolve(this.replicas[batch.partition]!.apply(batch, NOW_MS));
  }

  read(partition: number, queries: readonly Query[]): Promise<readonly Reading[]> {
    this.reads[partition]! += 1;
    return Promise.resolve(queries.map((query) => this.replicas[partition]!.read(query, NOW_MS)));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** What each partition holds of a key. */
  partsOf(key: string): number[] {
    return this.replicas.map((replica) => replica.read({ key }, NOW_MS).value);
  }
}
