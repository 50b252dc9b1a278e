/** The HTTP transport: wire to use cases and back. */
export { startHttp } from './server.ts';
//# sourceMappingURL=index.d.ts.map