/**
 * For those who write or choose a store: the contract every store passes, random histories, and a clock
 * that a test moves. Needs `node:test` and, as a peer dependency, fast-check 4.
 *
 * @packageDocumentation
 */
export { agreesWithReplica, type AgreementOptions } from './agrees-with-replica.ts';
export type { OpenOptions, StoreUnderTest } from './contract/session.ts';
export { histories, HISTORY_RETENTION_MS, HISTORY_STARTS_MS, type History, type HistoryOptions, type Step } from './histories.ts';
export { manualClock, type ManualClock } from './manual-clock.ts';
export { storeContract } from './store-contract.ts';
