/**
 * The relay: takes records from the outbox to a destination, each partition in order, and removes from the outbox
 * what the destination has acknowledged, and nothing else.
 *
 * Invariant: a record leaves the outbox only after the destination said that it is safe. Crash, hang, lost answer
 * and a second relay make records come twice, never not at all; who takes them in skips what it has.
 *
 * A partition has one delivery on its way, so order holds, and at most one page in memory.
 */
import { randomUUID } from 'node:crypto';
import { TallystickError } from 'tallystick';
import { backoffMs } from '../backoff.ts';
import type { Destination } from '../destination.ts';
import type { Outbox, OutboxPage, PageLimits } from '../outbox.ts';
import { pause } from '../pause.ts';
import { Leases } from './leases.ts';

/** Settings of a {@link Relay}. */
export interface RelayOptions {
  readonly outbox: Outbox;
  /** It stays open when the relay is closed. */
  readonly destination: Destination;
  /** How long a relay that is heard of no more keeps its partitions, in milliseconds, from 100 on. Default 10,000. */
  readonly leaseMs?: number;
  /** The most records, and about the most bytes, of one delivery. Default 1,000, and 512 KiB. */
  readonly page?: PageLimits;
  /** Asked to restore a partition that has neither records nor data, as long as that is so. Default: nobody. */
  readonly restore?: (partition: number) => Promise<void>;
  /** Told of what went wrong; it is tried again. */
  readonly onFault?: (fault: RelayFault) => void;
}

/** What went wrong. */
export interface RelayFault {
  /** Undefined when the leases could not be renewed. */
  readonly partition: number | undefined;
  /** How often in a row: 1, 2, 3 … */
  readonly attempt: number;
  readonly error: unknown;
}

/** How far a relay is with a partition. */
export interface RelayLag {
  readonly partition: number;
  /** Whether this relay has the partition now; if not, length and age are 0. */
  readonly isHeld: boolean;
  /** Records in the outbox, when it was read last. */
  readonly length: number;
  /** Age of the oldest that was not acknowledged, in milliseconds. */
  readonly oldestAgeMs: number;
  /** Records that were acknowledged since this relay started. */
  readonly delivered: number;
}

const LEASE_MS = 10_000;
const LEAST_LEASE_MS = 100;
/** Leases are renewed so many times before they would end. */
const RENEWALS = 3;
const PAGE: PageLimits = { records: 1000, bytes: 512 * 1024 };
/** An outbox that was empty, or is another relay's, is looked at again after this time, doubled each time up to the other. */
const FIRST_IDLE_MS = 5;
const LONGEST_IDLE_MS = 100;

class PartitionRelay {
  readonly #partition: number;
  readonly #options: Required<RelayOptions>;
  readonly #leases: Leases;
  #length = 0;
  /** When the oldest record was written, by this process's clock. */
  #oldestAtMs = 0;
  #delivered = 0;

  constructor(partition: number, options: Required<RelayOptions>, leases: Leases) {
    this.#partition = partition;
    this.#options = options;
    this.#leases = leases;
  }

  get lag(): RelayLag {
    const isHeld = this.#leases.holds(this.#partition);
    const length = isHeld ? this.#length : 0;
    const oldestAgeMs = length > 0 ? performance.now() - this.#oldestAtMs : 0;
    return { partition: this.#partition, isHeld, length, oldestAgeMs, delivered: this.#delivered };
  }

  /** Relays until `signal` is aborted; a delivery on its way is waited for. */
  async run(signal: AbortSignal): Promise<void> {
    let faults = 0;
    let idleMs = FIRST_IDLE_MS;
    while (!signal.aborted) {
      if (!this.#leases.holds(this.#partition)) {
        await pause(idleMs, signal);
        idleMs = Math.min(2 * idleMs, LONGEST_IDLE_MS);
        continue;
      }
      try {
        const isDone = await this.#relayPage();
        faults = 0;
        idleMs = isDone ? Math.min(2 * idleMs, LONGEST_IDLE_MS) : FIRST_IDLE_MS;
        if (isDone) await pause(idleMs, signal);
      } catch (error) {
        this.#options.onFault({ partition: this.#partition, attempt: ++faults, error });
        await pause(backoffMs(faults, Math.random), signal);
      }
    }
  }

  /** Takes the oldest records on; returns whether there were none. */
  async #relayPage(): Promise<boolean> {
    const { outbox, destination, page: limits } = this.#options;
    const page = await outbox.read(this.#partition, limits);
    this.#see(page);
    if (page.records.length === 0) {
      if (!page.hasData) await this.#options.restore(this.#partition);
      return true;
    }
    await destination.deliver(this.#partition, page.records);
    await outbox.trim(this.#partition, page);
    this.#delivered += page.records.length;
    this.#length -= page.records.length;
    return false;
  }

  #see({ length, oldestAgeMs }: OutboxPage): void {
    this.#length = length;
    this.#oldestAtMs = performance.now() - oldestAgeMs;
  }
}

/** Any number of them may work on one outbox, in as many processes: they share its partitions. */
export class Relay {
  readonly #options: Required<RelayOptions>;
  readonly #leases: Leases;
  readonly #parts: readonly PartitionRelay[];
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>;

  /** Starts at once. @throws TallystickError `INVALID_CONFIG`. */
  constructor(options: RelayOptions) {
    this.#options = checked(options);
    const { outbox, leaseMs } = this.#options;
    this.#leases = new Leases(outbox, randomUUID(), leaseMs);
    this.#parts = Array.from({ length: outbox.partitions }, (_, partition) => new PartitionRelay(partition, this.#options, this.#leases));
    const { signal } = this.#stopping;
    this.#running = Promise.all([this.#keepLeases(signal), ...this.#parts.map((part) => part.run(signal))]);
  }

  /** How far it is, by partition. */
  get lags(): readonly RelayLag[] {
    return this.#parts.map(({ lag }) => lag);
  }

  /** Waits for deliveries on their way, and leaves the partitions to others. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#stopping.signal.aborted) {
      await this.#running;
      return;
    }
    this.#stopping.abort();
    await this.#running;
    // What cannot be given up now ends by itself.
    await this.#leases.close().catch(() => undefined);
  }

  async #keepLeases(signal: AbortSignal): Promise<void> {
    const everyMs = this.#options.leaseMs / RENEWALS;
    let faults = 0;
    while (!signal.aborted) {
      try {
        await this.#leases.renew();
        faults = 0;
      } catch (error) {
        this.#options.onFault({ partition: undefined, attempt: ++faults, error });
      }
      await pause(faults === 0 ? everyMs : Math.min(everyMs, backoffMs(faults, Math.random)), signal);
    }
  }
}

function checked(options: RelayOptions): Required<RelayOptions> {
  const all = { leaseMs: LEASE_MS, page: PAGE, restore: () => Promise.resolve(), onFault: () => undefined, ...options };
  const { leaseMs, page } = all;
  if (!(Number.isSafeInteger(leaseMs) && leaseMs >= LEAST_LEASE_MS)) throw invalid('leaseMs', `an integer from ${LEAST_LEASE_MS} on`, leaseMs);
  for (const field of ['records', 'bytes'] as const) {
    if (!(Number.isSafeInteger(page[field]) && page[field] >= 1)) throw invalid(`page.${field}`, 'an integer from 1 on', page[field]);
  }
  return all;
}

const invalid = (field: string, expected: string, got: number): TallystickError =>
  new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got ${got}`, { field });
