/**
 * Who relays what. Each relay says again and again that it is alive, and takes the leases of its share of the
 * partitions; the share follows from the names of those alive, so all come to the same without talking. The lease
 * is for economy: two relays of one partition deliver twice, and neither removes what was not delivered.
 */
import { createHash } from 'node:crypto';
import type { Outbox } from '../outbox.ts';

/** Whose a partition is, of the relays alive: the one with the highest hash, so that few change hands when one comes or goes. */
export function ownerOf(partition: number, relays: readonly string[]): string | undefined {
  const weightOf = (relay: string): string => createHash('sha1').update(`${partition} ${relay}`).digest('hex');
  const weighed = relays.map((relay) => ({ relay, weight: weightOf(relay) }));
  return weighed.reduce<(typeof weighed)[number] | undefined>((best, one) => (best === undefined || one.weight > best.weight ? one : best), undefined)?.relay;
}

export class Leases {
  readonly #outbox: Outbox;
  readonly #name: string;
  readonly #ttlMs: number;
  /** Until when each lease that is held is held for sure, by this process's clock. */
  readonly #until = new Map<number, number>();

  /** @param name A token that no other relay has. */
  constructor(outbox: Outbox, name: string, ttlMs: number) {
    this.#outbox = outbox;
    this.#name = name;
    this.#ttlMs = ttlMs;
  }

  /** Whether the partition is this relay's now. */
  holds(partition: number): boolean {
    return performance.now() < (this.#until.get(partition) ?? 0);
  }

  /** Says that this relay is alive, keeps what is its own, takes what has come to it, and gives up what is another's. */
  async renew(): Promise<void> {
    const relays = await this.#outbox.relays(this.#name, this.#ttlMs);
    const partitions = Array.from({ length: this.#outbox.partitions }, (_, partition) => partition);
    await Promise.all(partitions.map((partition) => this.#settle(partition, ownerOf(partition, relays) === this.#name)));
  }

  /** Gives everything up. */
  async close(): Promise<void> {
    const held = [...this.#until.keys()];
    await Promise.all([this.#outbox.relays(this.#name, 0), ...held.map((partition) => this.#settle(partition, false))]);
  }

  async #settle(partition: number, isMine: boolean): Promise<void> {
    if (!isMine && !this.#until.delete(partition)) return;
    const untilMs = performance.now() + this.#ttlMs;
    const isHeld = await this.#outbox.lease(partition, this.#name, isMine ? this.#ttlMs : 0);
    if (isHeld) this.#until.set(partition, untilMs);
    else this.#until.delete(partition);
  }
}
