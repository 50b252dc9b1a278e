import { type Route } from '../route.ts';
/** Routes over the frequency use cases. */
export declare const frequencyRoutes: readonly Route[];
//# sourceMappingURL=frequency.d.ts.map