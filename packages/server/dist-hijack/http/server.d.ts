import type { App, Log } from '../app/index.ts';
/** Settings of {@link startHttp}. */
export interface HttpOptions {
    readonly app: App;
    readonly host: string;
    /** 0 takes any free port. */
    readonly port: number;
    readonly maxBodyBytes: number;
    readonly log: Log;
}
/** A server that listens. */
export interface HttpServer {
    readonly port: number;
    /** Takes no more connections and ends when every answer is sent, or after `timeoutMs` by cutting the rest. */
    close(timeoutMs: number): Promise<void>;
}
/**
 * Starts a server on `host`:`port`.
 *
 * @throws TallystickError `INVALID_CONFIG`, field `http`, when that can't be listened on.
 */
export declare function startHttp(options: HttpOptions): Promise<HttpServer>;
//# sourceMappingURL=server.d.ts.map