/** What every use case is given. */
import { type CounterType, type Counters } from 'tallystick';
import { type Deadlines } from './deadlines.ts';
import type { Figures } from './figures.ts';
/** What a transport knows about a call beside the request. */
export interface Call {
    /** Milliseconds the caller will still wait. Default and maximum: the node's `requestTimeoutMs`. */
    readonly timeoutMs?: number;
}
/** What every use case is given. */
export interface Context {
    readonly counters: Counters;
    readonly figures: Figures;
    readonly requestTimeoutMs: number;
    /** Of reads that wait `requestTimeoutMs`. */
    readonly deadlines: Deadlines;
    readonly maxBatchItems: number;
    /** The type declared for a key. */
    readonly typeOfKey: (key: string) => CounterType;
}
/**
 * How long a call may take.
 *
 * @throws TallystickError `TIMEOUT` when the caller's time is over already.
 */
export declare function timeoutOf(context: Context, call: Call | undefined): number;
/**
 * The answer of a read, if it comes within the call's time.
 *
 * @throws TallystickError `TIMEOUT`.
 */
export declare function inTime<Value>(context: Context, call: Call | undefined, read: () => Promise<Value>): Promise<Value>;
//# sourceMappingURL=context.d.ts.map