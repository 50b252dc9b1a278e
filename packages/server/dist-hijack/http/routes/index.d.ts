/** Every route of the node. */
import type { Route } from '../route.ts';
/** Every route of the node. */
export declare const routes: readonly Route[];
//# sourceMappingURL=index.d.ts.map