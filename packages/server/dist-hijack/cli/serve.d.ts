import { type Terminal } from './terminal.ts';
/** Runs a node until it is told to stop, and then ends the process: answers that nobody reads do not hold it up. */
export declare function serve(options: Readonly<Record<string, string>>, terminal: Terminal): Promise<never>;
//# sourceMappingURL=serve.d.ts.map