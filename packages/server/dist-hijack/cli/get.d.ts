import { type Terminal } from './terminal.ts';
/** Prints the values of `keys`. */
export declare function get(options: Readonly<Record<string, string>>, terminal: Terminal, keys: readonly string[]): Promise<number>;
//# sourceMappingURL=get.d.ts.map