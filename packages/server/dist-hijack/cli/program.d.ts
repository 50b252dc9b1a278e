import { type Terminal } from './terminal.ts';
/** Runs the command in `args`; resolves with its exit code. */
export declare function run(args: readonly string[], terminal: Terminal): Promise<number>;
//# sourceMappingURL=program.d.ts.map