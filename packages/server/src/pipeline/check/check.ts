/**
 * The consistency check: totals of Redis against those of the ledger, aware of what is on its way between them. Both
 * sides are read one after the other first, which is quick; only keys that differ then are read again at one place of
 * the log (see `settle.ts`).
 */
import type { Store } from 'tallystick';
import type { DeadLetterReason, Ledger } from '../ledger/ledger.ts';
import { comparePartition, compareSome, type Compared } from './compare.ts';
import type { LiveTotals } from './live-totals.ts';
import type { Repair } from './repair.ts';
import { settle, type Difference, type Settled } from './settle.ts';

/** Settings of {@link check}. */
export interface CheckOptions {
  /** Redis' side. */
  readonly live: LiveTotals;
  /** The same Redis, as a store whose batches leave records. */
  readonly store: Pick<Store, 'apply'>;
  readonly ledger: Ledger;
  /** How many keys are chosen by chance; undefined looks at all. */
  readonly sample?: number | undefined;
  /** Puts differences right. Default: nothing does. */
  readonly repair?: Repair | undefined;
  /** How long the log may take to reach the ledger, in milliseconds. Default 30,000. */
  readonly waitMs?: number;
  /** After what time a difference must still be there, in milliseconds. Default 1,500: an idle source asks every second. */
  readonly confirmMs?: number;
  /** Told from time to time how far it is. */
  readonly onProgress?: (report: CheckReport) => void;
  readonly random?: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** What a check found. */
export interface CheckReport {
  /** Keys that were looked at, on either side. */
  looked: number;
  /** Keys that differed when they were read, because the log was on its way. */
  inFlight: number;
  /** Keys that differ. */
  differing: number;
  /** Keys of which that can't be told, because the log did not reach the ledger in time or the difference moved. */
  unsettled: number;
  /** Keys that were put right; they are among those that differ. */
  repaired: number;
  /** Keys that differ, for each hundred that were looked at. */
  differingPercent: number;
  /** Some of the keys that differ. */
  examples: Difference[];
  /** Records that are parked, by reason. */
  deadLetters: Partial<Record<DeadLetterReason, number>>;
  tookMs: number;
}

const DEFAULTS = { waitMs: 30_000, confirmMs: 1500, onProgress: () => undefined, random: Math.random };
const EXAMPLES = 10;
/** Partitions that are compared at the same time. */
const ABREAST = 4;

type Options = CheckOptions & Required<Pick<CheckOptions, keyof typeof DEFAULTS>>;

/**
 * Compares Redis with the ledger.
 *
 * @throws TallystickError `STORE_UNAVAILABLE` when either of them does not answer.
 */
export async function check(options: CheckOptions): Promise<CheckReport> {
  const run = new Run({ ...DEFAULTS, ...options });
  return options.sample === undefined ? run.full() : run.some(options.sample);
}

/** Whether nothing differs any more, as far as was looked at. */
export const isConsistent = ({ differing, repaired, unsettled }: CheckReport): boolean => differing === repaired && unsettled === 0;

class Run {
  readonly #options: Options;
  readonly #beganMs = performance.now();
  readonly #report: CheckReport = {
    looked: 0, inFlight: 0, differing: 0, unsettled: 0, repaired: 0, differingPercent: 0, examples: [], deadLetters: {}, tookMs: 0,
  };
  /** Whether the ledger did not reach a place in time: nothing more is waited for then. */
  #isStalled = false;

  constructor(options: Options) {
    this.#options = options;
  }

  async full(): Promise<CheckReport> {
    await this.#eachPartition(Array.from({ length: this.#options.live.partitions }, (_, partition) => partition), async (partition) => {
      for await (const compared of comparePartition(this.#options, partition)) await this.#take(partition, compared);
    });
    return this.#finished();
  }

  async some(count: number): Promise<CheckReport> {
    const { live: { partitions }, random } = this.#options;
    const first = Math.floor(random() * partitions);
    const share = (nth: number): number => Math.floor(((nth + 1) * count) / partitions) - Math.floor((nth * count) / partitions);
    const nths = Array.from({ length: partitions }, (_, nth) => nth).filter((nth) => share(nth) > 0);
    await this.#eachPartition(nths, async (nth) => {
      const partition = (first + nth) % partitions;
      await this.#take(partition, await compareSome(this.#options, partition, share(nth), random));
    });
    return this.#finished();
  }

  async #eachPartition(partitions: number[], work: (partition: number) => Promise<void>): Promise<void> {
    const worker = async (): Promise<void> => {
      for (let next = partitions.shift(); next !== undefined && this.#options.signal?.aborted !== true; next = partitions.shift()) await work(next);
    };
    await Promise.all(Array.from({ length: ABREAST }, worker));
  }

  async #take(partition: number, { looked, suspects }: Compared): Promise<void> {
    const report = this.#report;
    report.looked += looked;
    const { inFlight, unsettled, differences } = await this.#settle(partition, suspects);
    report.inFlight += inFlight;
    report.unsettled += unsettled;
    report.differing += differences.length;
    report.examples.push(...differences.slice(0, EXAMPLES - report.examples.length));
    const repaired = differences.length > 0 ? await this.#options.repair?.(partition, differences) : 0;
    report.repaired += repaired ?? 0;
    this.#sum();
    this.#options.onProgress(report);
  }

  async #settle(partition: number, suspects: readonly string[]): Promise<Settled> {
    const { store, ledger: { readings }, waitMs, confirmMs, signal } = this.#options;
    if (suspects.length === 0 || this.#isStalled) return { inFlight: 0, differences: [], unsettled: suspects.length };
    const beganMs = performance.now();
    const settled = await settle(partition, suspects, { store, readings, waitMs, confirmMs, signal });
    this.#isStalled ||= settled.unsettled > 0 && performance.now() - beganMs > waitMs;
    return settled;
  }

  #sum(): void {
    const report = this.#report;
    report.differingPercent = report.looked === 0 ? 0 : (100 * report.differing) / report.looked;
    report.tookMs = Math.round(performance.now() - this.#beganMs);
  }

  async #finished(): Promise<CheckReport> {
    this.#report.deadLetters = Object.fromEntries(await this.#options.ledger.deadLetters.count());
    this.#sum();
    return this.#report;
  }
}
