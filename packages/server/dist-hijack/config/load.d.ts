import { type Config } from './settings.ts';
/** Where settings come from. */
export interface Surroundings {
    /** Values of flags by setting name, and `config`. */
    readonly flags: Readonly<Record<string, string | undefined>>;
    /** The environment. */
    readonly env: Readonly<Record<string, string | undefined>>;
}
/**
 * The checked settings of a node.
 *
 * @throws TallystickError `INVALID_CONFIG`, saying which setting, where it was written and what was expected.
 */
export declare function loadConfig({ flags, env }: Surroundings): Promise<Config>;
//# sourceMappingURL=load.d.ts.map