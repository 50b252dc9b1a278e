/** The HTTP transport: wire to use cases and back. */
export { startHttp } from "./server.js";
//# sourceMappingURL=index.js.map