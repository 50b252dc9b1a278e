/** Configuration of a node: one table of settings, read from flags, environment and a file. */
export { formatAddress, isLoopback } from "./address.js";
export { loadConfig } from "./load.js";
export { formatRedisTarget } from "./redis-target.js";
export { reference, referenceTable } from "./reference.js";
export {} from "./settings.js";
//# sourceMappingURL=index.js.map