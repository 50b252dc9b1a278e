/** Talks to a running node, for the commands that do. */
import { TallystickError } from 'tallystick';
import { type Terminal } from './terminal.ts';
type Options = Readonly<Record<string, string>>;
/** The node that the options, the environment or the settings name. */
export declare function serverOf(options: Options, { env }: Terminal): Promise<string>;
/**
 * Posts `body` to `path` of a node and returns the answer.
 *
 * @throws TallystickError when refused; Unreachable when no node answers.
 */
export declare function post(server: string, path: string, body: object): Promise<unknown>;
/** What a node says of a refusal. */
interface Told {
    readonly code?: number;
    readonly msg?: string;
}
/** A node's refusal, of a call or of one item, as an error of the table. */
export declare function refusal({ code, msg }: Told): TallystickError;
/** The integer written in `text`. @throws UsageError */
export declare function integerOf(name: string, text: string): number;
/** Those of the named options that were given, as integers. */
export declare function integersOf(options: Options, names: readonly string[]): Record<string, number>;
/** Those of the named options that were given. */
export declare function textsOf(options: Options, names: readonly string[]): Record<string, string>;
export {};
//# sourceMappingURL=node-client.d.ts.map