/** Has grpc-js, in all of this process, write to `log`: at debug level, for what matters is thrown as well. */
export declare function logGrpcTo(log: {
    debug(details: object, message: string): void;
}): void;
//# sourceMappingURL=logging.d.ts.map