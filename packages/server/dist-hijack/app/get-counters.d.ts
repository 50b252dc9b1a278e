/** Reading counters, one or many. */
import { type CounterReading, type GetItem } from 'tallystick';
import { type Call, type Context } from './context.ts';
/** What a counter stands at. */
export type CounterValue = CounterReading & {
    readonly key: string;
};
/** What the counters of a batch stand at, in the order of its keys. */
export interface GetCountersReply {
    readonly results: readonly CounterValue[];
}
/**
 * `{keys: [key | {key, type?, windowMs?, slices?}]}`. A counter that is not there reads 0, `found: false`.
 *
 * @throws TallystickError
 */
export declare function getCounters(context: Context, request: unknown, call?: Call): Promise<GetCountersReply>;
/** Reads many within the call's time; errors name the item as one of `list`. */
export declare function readMany(context: Context, items: readonly (string | GetItem)[], list: string, call: Call | undefined): Promise<CounterReading[]>;
/**
 * Reads the counter `key`: `{type?, windowMs?, slices?}`.
 *
 * @throws TallystickError
 */
export declare function getCounter(context: Context, key: string, request?: unknown, call?: Call): Promise<CounterValue>;
//# sourceMappingURL=get-counters.d.ts.map