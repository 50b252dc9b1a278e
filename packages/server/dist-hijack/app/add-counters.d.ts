/** Adding to counters, one or many, with every option of the library. */
import { type AddOptions, type AddResult, type Refusal } from 'tallystick';
import { type Call, type Context } from './context.ts';
/** What came of one add. */
export type CounterResult = (AddResult | Refusal) & {
    readonly key: string;
};
/** What came of a batch, in the order of its items. */
export interface AddCountersReply {
    readonly results: readonly CounterResult[];
}
/**
 * `{items: [{key, delta?, type?, min?, max?, ttlMs?, windowMs?, slices?, shards?, member?, requestId?,
 * requestTtlMs?}], requestId?, requestTtlMs?}`: every item is checked before any is counted, and one bad item refuses the whole, naming its index.
 *
 * @throws TallystickError
 */
export declare function addCounters(context: Context, request: unknown, call?: Call): Promise<AddCountersReply>;
/**
 * Adds to the counter `key`: `{delta?, type?, min?, max?, ttlMs?, windowMs?, slices?, shards?, member?, requestId?,
 * requestTtlMs?}`, or nothing at all for an add of 1.
 *
 * @throws TallystickError when refused.
 */
export declare function addCounter(context: Context, key: string, request?: unknown, call?: Call): Promise<AddResult & {
    readonly key: string;
}>;
/** One add that leaves its mark in the figures, whatever comes of it. */
export declare function recordedAdd(context: Context, key: string, delta: number | undefined, options: AddOptions): Promise<AddResult>;
//# sourceMappingURL=add-counters.d.ts.map