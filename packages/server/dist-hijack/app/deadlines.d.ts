export declare class Deadlines {
    #private;
    constructor(timeoutMs: number);
    /**
     * The answer of `work`, if it comes in time.
     *
     * @throws TallystickError `TIMEOUT`.
     */
    within<Value>(work: Promise<Value>): Promise<Value>;
}
/**
 * The answer of `work`, if it comes within a time of its own.
 *
 * @throws TallystickError `TIMEOUT`.
 */
export declare function withinOwn<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value>;
//# sourceMappingURL=deadlines.d.ts.map