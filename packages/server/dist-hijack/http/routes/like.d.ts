/** `/api/counter`: likes of a resource. */
import { type Route } from '../route.ts';
/** Routes over the like use cases. */
export declare const likeRoutes: readonly Route[];
//# sourceMappingURL=like.d.ts.map