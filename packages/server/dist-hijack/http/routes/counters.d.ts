import { type Route } from '../route.ts';
/** Routes over the counter use cases. */
export declare const counterRoutes: readonly Route[];
//# sourceMappingURL=counters.d.ts.map