/**
 * Likes of a resource: a counter under the key `4:like:<resourceId>`, which is `joinKey('like', resourceId)`.
 * A like adds 1; an unlike takes 1 away and stops at 0.
 */
import { type AddResult } from 'tallystick';
import { type Call, type Context } from './context.ts';
/** What came of a like or unlike. */
export type LikeReply = AddResultOf & {
    /** Likes right after. */
    readonly count: number;
};
type AddResultOf = Omit<AddResult, 'value'> & {
    readonly resourceId: string;
};
/** How often a resource is liked. */
export interface CountReply {
    readonly resourceId: string;
    readonly count: number;
    readonly exact: boolean;
}
/** `{userId, resourceId, requestId?, requestTtlMs?}`: one like more. @throws TallystickError when refused. */
export declare const like: (context: Context, request: unknown, call?: Call) => Promise<LikeReply>;
/** `{userId, resourceId, requestId?, requestTtlMs?}`: one like less, never below 0. @throws TallystickError when refused. */
export declare const unlike: (context: Context, request: unknown, call?: Call) => Promise<LikeReply>;
/** The likes of one resource; 0 for one that was never liked. @throws TallystickError */
export declare function countLikes(context: Context, resourceId: string, call?: Call): Promise<CountReply>;
/** `{resourceIds: […]}`: the likes of many resources, in order. @throws TallystickError */
export declare function countLikesOfMany(context: Context, request: unknown, call?: Call): Promise<readonly CountReply[]>;
export {};
//# sourceMappingURL=like.d.ts.map