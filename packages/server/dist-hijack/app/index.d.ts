/**
 * The use cases of a node. They know no transport: a request comes in as parsed from the wire, a reply is a
 * plain object, a refusal a thrown `TallystickError`. HTTP and gRPC put both into their own words.
 */
import { type AddResult, type CloseReport, type Store, type TallystickEvent, type TallystickStats } from 'tallystick';
import { type AddCountersReply } from './add-counters.ts';
import type { Call } from './context.ts';
import { type Declarations } from './counter-type.ts';
import { Figures } from './figures.ts';
import { type FreqBatchReply, type FreqReply } from './frequency.ts';
import { type CounterValue, type GetCountersReply } from './get-counters.ts';
import { type Readiness } from './health.ts';
import { type CountReply, type LikeReply } from './like.ts';
export type { AddCountersReply, CounterResult } from './add-counters.ts';
export type { Call } from './context.ts';
export type { Declarations } from './counter-type.ts';
export { BUCKETS_SECONDS, type Figures, type ResponseTimes } from './figures.ts';
export type { FreqBatchReply, FreqReply } from './frequency.ts';
export type { CounterValue, GetCountersReply } from './get-counters.ts';
export type { Readiness } from './health.ts';
export type { CountReply, LikeReply } from './like.ts';
export type { Log } from './log.ts';
/** Settings of {@link createApp}. */
export interface AppOptions {
    /** Where the counters live. It is closed with the app. */
    readonly store: Store;
    /** Counter types by key, as in the library. Default: every counter is `simple`. */
    readonly counters?: Declarations;
    /** `batched` counters are flushed this often. Default 100. */
    readonly flushEveryMs?: number;
    /** The longest a call waits. Default 5,000. */
    readonly requestTimeoutMs?: number;
    /** The most items of one batch call, up to the library's 10,000. Default 1,000. */
    readonly maxBatchItems?: number;
    /** Told of what an operator should know. */
    readonly onEvent?: (event: TallystickEvent) => void;
}
/**
 * The use cases. Every one that takes a `request` checks it whole (its type is `unknown` for that reason)
 * and rejects with a `TallystickError` when it is refused; the files named like the use cases say what a
 * request looks like.
 */
export interface App {
    addCounter(key: string, request?: unknown, call?: Call): Promise<AddResult & {
        readonly key: string;
    }>;
    addCounters(request: unknown, call?: Call): Promise<AddCountersReply>;
    getCounter(key: string, request?: unknown, call?: Call): Promise<CounterValue>;
    getCounters(request: unknown, call?: Call): Promise<GetCountersReply>;
    like(request: unknown, call?: Call): Promise<LikeReply>;
    unlike(request: unknown, call?: Call): Promise<LikeReply>;
    countLikes(resourceId: string, call?: Call): Promise<CountReply>;
    countLikesOfMany(request: unknown, call?: Call): Promise<readonly CountReply[]>;
    addFreq(request: unknown, call?: Call): Promise<FreqReply>;
    batchAddFreq(request: unknown, call?: Call): Promise<FreqBatchReply>;
    getFreq(request: unknown, call?: Call): Promise<FreqReply>;
    batchGetFreq(request: unknown, call?: Call): Promise<FreqBatchReply>;
    /** Whether calls would be served now. Never rejects. */
    readiness(): Promise<Readiness>;
    /** For metrics: what use cases and transports recorded. */
    readonly figures: Figures;
    /** For metrics: what the lanes did. */
    stats(): TallystickStats;
    /**
     * Takes no more work (calls are refused with `CLOSED`), answers what was taken, flushes and closes the
     * store, within `timeoutMs`.
     */
    close(timeoutMs: number): Promise<CloseReport>;
}
/**
 * Checks what is declared of counters without a store of their own kind: none is opened, nothing is written.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the pattern and the field.
 */
export declare function checkCounters(counters: Declarations): Promise<void>;
/** Creates the use cases over a store. */
export declare function createApp(options: AppOptions): App;
//# sourceMappingURL=index.d.ts.map