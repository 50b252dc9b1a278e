/**
 * Parses a body; an empty one is undefined.
 *
 * @throws TallystickError `MALFORMED`, or `INVALID_AMOUNT` naming the number that would have been rounded.
 */
export declare function parseJson(body: Buffer): unknown;
//# sourceMappingURL=json.d.ts.map