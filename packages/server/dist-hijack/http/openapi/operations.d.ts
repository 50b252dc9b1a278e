/** What the OpenAPI document says of each route. Its names are checked against the routes by a test. */
import type { ErrorCode } from 'tallystick';
import { type Schema } from './schemas.ts';
/** One route, described. */
export interface Operation {
    readonly summary: string;
    readonly tag: 'likes' | 'counters' | 'frequency' | 'operations';
    /** Schema of the request body. */
    readonly body?: Schema;
    /** Whether the body may be left out. */
    readonly bodyOptional?: boolean;
    readonly query?: Readonly<Record<string, Schema>>;
    /** Schema of a successful answer; absent when it is text. */
    readonly answer?: Schema;
    /** Whether the answer may be 202: accepted, not applied yet. */
    readonly accepts?: boolean;
    /** Further answers that are no error envelope, by status. */
    readonly otherwise?: Readonly<Record<number, Schema>>;
    /** Codes beside those that any route may have. */
    readonly errors: readonly ErrorCode[];
}
/** Every route as `METHOD /path/{part}`. */
export declare const operations: Readonly<Record<string, Operation>>;
//# sourceMappingURL=operations.d.ts.map