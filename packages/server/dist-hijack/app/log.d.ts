/**
 * Where a node writes what it has to say; a pino logger is one. No secret and, at `info` and above, no
 * caller's key goes in.
 */
export interface Log {
    debug(fields: object, message: string): void;
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
}
//# sourceMappingURL=log.d.ts.map