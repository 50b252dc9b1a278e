import { type Terminal } from './terminal.ts';
/** Runs the comparison and prints a line for each pattern of keys. */
export declare function bench(options: Readonly<Record<string, string>>, { out }: Terminal): Promise<number>;
//# sourceMappingURL=bench.d.ts.map