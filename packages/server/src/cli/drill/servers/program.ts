/** Programs of servers, which the drill starts and never installs. */
import { spawnSync } from 'node:child_process';
import { TallystickError } from 'tallystick';

/** Debian keeps servers where only root looks for programs. */
export const withSbin = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` });

/** Whether a program can be run. */
export const isInstalled = (program: string, versionFlag = '--version'): boolean => spawnSync(program, [versionFlag], { env: withSbin() }).status === 0;

/**
 * What is thrown when a program is missing.
 *
 * @param install What to install, for a person.
 */
export const missing = (program: string, install: string): TallystickError =>
  new TallystickError('INVALID_CONFIG', `${program} is needed and was not found: install ${install}`, { field: program });

/** Whether this process may start servers that refuse to run as root unless told so. */
export const asRoot = (): string[] => (process.getuid?.() === 0 ? ['--user=root'] : []);
