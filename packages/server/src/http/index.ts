/** The HTTP transport: wire to use cases and back. */
export { startHttp, type HttpOptions, type HttpServer } from './server.ts';
