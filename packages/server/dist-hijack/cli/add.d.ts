import { type Terminal } from './terminal.ts';
/** Adds `delta`, the second word, to the counter of the first. */
export declare function add(options: Readonly<Record<string, string>>, terminal: Terminal, words: readonly string[]): Promise<number>;
//# sourceMappingURL=add.d.ts.map