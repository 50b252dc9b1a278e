/**
 * Checks of a request's shape, whatever the transport. They throw `TallystickError`, naming the field by
 * its path (`items[3].delta`). What a key, an amount or a counter option may be is the library's to say and
 * is not checked here a second time; its errors are only given the path of the request they came in.
 */
import { TallystickError } from 'tallystick';
/** A request, or a part of one, with fields. */
export type Fields = Readonly<Record<string, unknown>>;
/** The error for a field, or an unnamed item of a list, that is not what it should be. */
export declare function unexpected(field: string | undefined, expected: string, value: unknown): TallystickError;
/**
 * Returns `value` when it is an object that has no other fields than `known`. An item of a list is named by
 * {@link checkEach} and has no name of its own.
 *
 * @throws TallystickError `INVALID_ARGUMENT` (field `name`) or `UNKNOWN_FIELD`.
 */
export declare function checkObject(value: unknown, known: ReadonlySet<string>, name?: string): Fields;
/**
 * Returns `value` when it can be a part of a key: its length is judged with the whole key.
 *
 * @throws TallystickError `INVALID_KEY`.
 */
export declare function checkKeyPart(value: unknown, field?: string): string;
/** Returns `value` when it is a well-formed string of 1 to `most` characters. */
export declare function checkText(value: unknown, field: string, most: number): string;
/** Returns `value` when it is an integer from `least` to `most`. */
export declare function checkInteger(value: unknown, field: string, least: number, most: number): number;
/**
 * Returns `value` when it is a list of at most `most` items.
 *
 * @throws TallystickError `INVALID_ARGUMENT` or `BATCH_TOO_LARGE`.
 */
export declare function checkList(value: unknown, field: string, most: number): readonly unknown[];
/** Runs `check` on every item; what it throws names the item's place in `list`. */
export declare function checkEach<Item>(list: string, items: readonly unknown[], check: (item: unknown) => Item): Item[];
/**
 * The library's error in the words of the request: where its field and message begin with `from` they begin
 * with `to` instead. Anything else is returned as it is.
 */
export declare function renamed(error: unknown, from: string, to: string): unknown;
//# sourceMappingURL=checks.d.ts.map