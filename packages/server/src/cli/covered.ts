/** How far the ledger has the batches of a source: what a journal need keep no longer. */
import type { MysqlTarget } from '../config/index.ts';
import type { Ledger } from '../pipeline/ledger/ledger.ts';

/** Progress of a partition is asked for again after this time. */
const KEPT_MS = 5000;

/** Asks the ledger, which is opened at the first question: a journal asks when one of its segments is full. */
export class Covered {
  readonly #target: MysqlTarget;
  readonly #partitions: number;
  readonly #kept = new Map<number, { readonly atMs: number; readonly progress: Promise<ReadonlyMap<string, number>> }>();
  #ledger: Promise<Ledger> | undefined;

  constructor(target: MysqlTarget, partitions: number) {
    this.#target = target;
    this.#partitions = partitions;
  }

  /** The last seq of `source` that the ledger has; 0 when it has none. @throws TallystickError As the ledger does. */
  readonly seq = async (partition: number, source: string): Promise<number> => (await this.#progress(partition)).get(source) ?? 0;

  /** Ends the connection. */
  close(): void {
    this.#ledger?.then((ledger) => ledger.close()).catch(() => undefined);
  }

  #progress(partition: number): Promise<ReadonlyMap<string, number>> {
    const kept = this.#kept.get(partition);
    if (kept !== undefined && performance.now() - kept.atMs < KEPT_MS) return kept.progress;
    const progress = this.#open().then((ledger) => ledger.progress(partition));
    this.#kept.set(partition, { atMs: performance.now(), progress });
    progress.catch(() => this.#kept.delete(partition));
    return progress;
  }

  #open(): Promise<Ledger> {
    if (this.#ledger !== undefined) return this.#ledger;
    const opening = import('../pipeline/ledger/mysql/mysql-ledger.ts').then(({ openMysqlLedger }) =>
      openMysqlLedger({ target: this.#target, partitions: this.#partitions, connections: 1 }),
    );
    opening.catch(() => { this.#ledger = undefined; });
    this.#ledger = opening;
    return opening;
  }
}
