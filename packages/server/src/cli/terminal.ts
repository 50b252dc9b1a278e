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
export const EXIT = Object.freeze({ ok: 0, refused: 1, usage: 2, unreachable: 3 });

/** Thrown when no node answers. */
export class Unreachable extends TallystickError {
  constructor(message: string, cause: unknown) {
    super('UNREACHABLE', message, { cause });
  }
}

/** Thrown when an argument is not what it should be. */
export class UsageError extends TallystickError {
  constructor(message: string) {
    super('INVALID_ARGUMENT', message);
  }
}

/** Says what went wrong, in words or as JSON, and returns the exit code for it. */
export function failed(error: unknown, { err }: Terminal, asJson: boolean): number {
  const exit = exitOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const { code, number } = error instanceof TallystickError ? error : {};
  err(asJson ? JSON.stringify({ error: message, code, number, exit }) : `tallystick: ${message}${code === undefined ? '' : ` [${code}]`}`);
  return exit;
}

function exitOf(error: unknown): number {
  if (error instanceof Unreachable) return EXIT.unreachable;
  const isUsage = error instanceof UsageError || (error instanceof TallystickError && error.code === 'INVALID_CONFIG');
  return isUsage ? EXIT.usage : EXIT.refused;
}
