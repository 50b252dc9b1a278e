/** `tallystick.v1.Limits` */
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { limitsService as service, type LimitRequest } from '@tallystick/client/wire';
import type { App } from '../app/index.ts';
import { unary, type Surroundings } from './unary.ts';

/** A rule of which nothing but the name came is a declared one. */
function ruleOf(rule: LimitRequest<unknown>['rules'][number]): unknown {
  return Object.keys(rule).length === 1 ? rule.name : rule;
}

/** A request in the words of the use cases: what did not come is not there, so that what came too much is refused. */
function requestOf({ rules, takenAtMs, ...request }: LimitRequest<unknown>): object {
  return {
    ...request,
    ...(rules.length > 0 && { rules: rules.length === 1 ? ruleOf(rules[0] as LimitRequest<unknown>['rules'][number]) : rules.map(ruleOf) }),
    ...(takenAtMs !== undefined && { decision: { allowed: true, atMs: takenAtMs } }),
  };
}

/** The methods over the use cases. */
export function limitHandlers(app: App, around: Surroundings): UntypedServiceImplementation {
  return {
    Check: unary(service.Check, around, (request, call) => app.checkLimits(requestOf(request), call)),
    BatchCheck: unary(service.BatchCheck, around, async (items, call) => (await app.checkLimitsOfMany({ items: items.map(requestOf) }, call)).results),
    Peek: unary(service.Peek, around, (request, call) => app.peekLimits(requestOf(request), call)),
    Refund: unary(service.Refund, around, (request, call) => app.refundLimits(requestOf(request), call)),
    Release: unary(service.Release, around, (request, call) => app.releaseLimits(requestOf(request), call)),
    Penalize: unary(service.Penalize, around, (request, call) => app.penalizeLimits(requestOf(request), call)),
    Reset: unary(service.Reset, around, (request, call) => app.resetLimits(requestOf(request), call)),
    Block: unary(service.Block, around, (request, call) => app.blockSubject(requestOf(request), call)),
    Unblock: unary(service.Unblock, around, (request, call) => app.unblockSubject(requestOf(request), call)),
  };
}
