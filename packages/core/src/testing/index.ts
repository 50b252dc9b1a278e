/**
 * For those who write or choose a store: the contract every store passes, random histories, a clock that a
 * test moves, and the types of what a store is sent and answers. Needs `node:test` and, as a peer dependency, fast-check 4.
 *
 * @packageDocumentation
 */
export { agreesWithReplica, type AgreementOptions } from './agrees-with-replica.ts';
export type { OpenOptions, StoreUnderTest } from './contract/session.ts';
export { histories, HISTORY_RETENTION_MS, HISTORY_STARTS_MS, type History, type HistoryOptions, type Step } from './histories.ts';
export { manualClock, type ManualClock } from '../model/manual-clock.ts';
export { storeContract, type ContractOptions } from './store-contract.ts';
export type { Answer, Behind, Note, Reading, Reply, Result } from '../model/answer.ts';
export type { Batch } from '../model/batch.ts';
export type {
  CountTerms, Effect, LogTerms, Operation, Query, SketchTerms, Terms, UniqueTerms, WindowTerms,
} from '../model/operation.ts';
