/** Batches of plain adds straight to a store with an outbox, and what they must come to. */
import { randomUUID } from 'node:crypto';
import { isBehind } from '../../packages/core/src/model/answer.ts';
import type { Store } from '../../packages/core/src/store.ts';
import { decodeRecord } from '../../packages/server/src/pipeline/record.ts';

const KEYS = 50;

/** What was added, by partition and key. */
export class OutboxLoad {
  readonly totals = new Map<string, number>();
  readonly #store: Store;
  readonly #source = randomUUID().slice(0, 8);
  readonly #seqs: number[];

  constructor(store: Store) {
    this.#store = store;
    this.#seqs = Array.from({ length: store.partitions }, () => 0);
  }

  /** Sends a batch to each partition; resolves when all are applied. */
  async round(adds = 5): Promise<void> {
    await Promise.all(this.#seqs.map((_, partition) => this.#batch(partition, adds)));
  }

  async #batch(partition: number, adds: number): Promise<void> {
    const seq = (this.#seqs[partition] = this.#seqs[partition]! + 1);
    const operations = Array.from({ length: adds }, (_, i) => ({ key: `k${(seq * adds + i) % KEYS}`, delta: 1 + ((seq + i) % 7) }));
    for (const { key, delta } of operations) add(this.totals, `${partition} ${key}`, delta);
    if (isBehind(await this.#store.apply({ source: this.#source, partition, seq, operations }))) throw new Error('behind');
  }
}

/** Counts each record once, whatever comes twice; a record that comes before the one in front of it is a gap. */
export class RecordAccount {
  readonly totals = new Map<string, number>();
  readonly gaps: string[] = [];
  duplicates = 0;
  readonly #lasts = new Map<string, number>();

  take(partition: number, records: readonly Uint8Array[]): void {
    for (const bytes of records) this.#takeOne(partition, bytes);
  }

  #takeOne(partition: number, bytes: Uint8Array): void {
    const { source, seq, entries } = decodeRecord(partition, bytes);
    const lane = `${partition} ${source}`;
    const last = this.#lasts.get(lane) ?? 0;
    if (seq <= last) {
      this.duplicates++;
      return;
    }
    if (seq > last + 1) this.gaps.push(`${lane}: ${last} → ${seq}`);
    this.#lasts.set(lane, seq);
    for (const [key, delta] of entries) add(this.totals, `${partition} ${key}`, delta);
  }
}

function add(totals: Map<string, number>, key: string, delta: number): void {
  totals.set(key, (totals.get(key) ?? 0) + delta);
}
