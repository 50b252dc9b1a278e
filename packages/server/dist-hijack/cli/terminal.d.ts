/** What a command is given and how it ends. */
import { TallystickError } from 'tallystick';
/** The surroundings of a command. */
export interface Terminal {
    readonly env: Readonly<Record<string, string | undefined>>;
    /** Writes one line of result. */
    readonly out: (line: string) => void;
    /** Writes one line about what went wrong. */
    readonly err: (line: string) => void;
}
/** Exit codes of every command. */
export declare const EXIT: Readonly<{
    ok: 0;
    refused: 1;
    usage: 2;
    unreachable: 3;
}>;
/** Thrown when no node answers. */
export declare class Unreachable extends TallystickError {
    constructor(message: string, cause: unknown);
}
/** Thrown when an argument is not what it should be. */
export declare class UsageError extends TallystickError {
    constructor(message: string);
}
/** Says what went wrong, in words or as JSON, and returns the exit code for it. */
export declare function failed(error: unknown, { err }: Terminal, asJson: boolean): number;
//# sourceMappingURL=terminal.d.ts.map