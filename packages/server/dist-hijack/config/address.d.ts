/** A host and a port. */
export interface Address {
    /** A name or an IP address; IPv6 without its brackets. */
    readonly host: string;
    /** 0 takes any free port. */
    readonly port: number;
}
/** The address written as `text`; undefined when it is none. */
export declare function parseAddress(text: string): Address | undefined;
/** `address` as it is written. */
export declare const formatAddress: ({ host, port }: Address) => string;
/** Whether only this machine can reach `address`. */
export declare const isLoopback: ({ host }: Address) => boolean;
//# sourceMappingURL=address.d.ts.map