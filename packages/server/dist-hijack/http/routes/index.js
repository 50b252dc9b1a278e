import { counterRoutes } from "./counters.js";
import { frequencyRoutes } from "./frequency.js";
import { likeRoutes } from "./like.js";
import { operationsRoutes } from "./operations.js";
/** Every route of the node. */
export const routes = [...likeRoutes, ...counterRoutes, ...frequencyRoutes, ...operationsRoutes];
//# sourceMappingURL=index.js.map