/** What a command is given and how it ends. */
import { TallystickError } from 'tallystick';
/** Exit codes of every command. */
export const EXIT = Object.freeze({ ok: 0, refused: 1, usage: 2, unreachable: 3 });
/** Thrown when no node answers. */
export class Unreachable extends TallystickError {
    constructor(message, cause) {
        super('UNREACHABLE', message, { cause });
    }
}
/** Thrown when an argument is not what it should be. */
export class UsageError extends TallystickError {
    constructor(message) {
        super('INVALID_ARGUMENT', message);
    }
}
/** Says what went wrong, in words or as JSON, and returns the exit code for it. */
export function failed(error, { err }, asJson) {
    const exit = exitOf(error);
    const message = error instanceof Error ? error.message : String(error);
    const { code, number } = error instanceof TallystickError ? error : {};
    err(asJson ? JSON.stringify({ error: message, code, number, exit }) : `tallystick: ${message}${code === undefined ? '' : ` [${code}]`}`);
    return exit;
}
function exitOf(error) {
    if (error instanceof Unreachable)
        return EXIT.unreachable;
    const isUsage = error instanceof UsageError || (error instanceof TallystickError && error.code === 'INVALID_CONFIG');
    return isUsage ? EXIT.usage : EXIT.refused;
}
//# sourceMappingURL=terminal.js.map