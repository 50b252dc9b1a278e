/** What operators and tools ask: health, readiness, metrics, the description of all this. */
import { type Route } from '../route.ts';
/** Routes for operators. Metrics and the description are loaded when first asked for. */
export declare const operationsRoutes: readonly Route[];
//# sourceMappingURL=operations.d.ts.map