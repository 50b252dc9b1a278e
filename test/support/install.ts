/** Installs what a test needs and is missing, as root on Debian; elsewhere whoever starts it says what to install. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { isInstalled } from '../../packages/server/src/cli/drill/servers/program.ts';

const POLICY = '/usr/sbin/policy-rc.d';

/** Installs a package for a program that is not there. A service that comes with it is not started. */
export function ensureInstalled(program: string, debianPackage: string, versionFlag = '--version'): void {
  if (isInstalled(program, versionFlag) || !existsSync('/etc/debian_version') || process.getuid?.() !== 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const forbidden = existsSync(POLICY);
  if (!forbidden) spawnSync('sh', ['-c', `printf '#!/bin/sh\\nexit 101\\n' > ${POLICY} && chmod +x ${POLICY}`]);
  try {
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', debianPackage]]) spawnSync('apt-get', args, { stdio: 'ignore', env });
  } finally {
    if (!forbidden) rmSync(POLICY, { force: true });
  }
}
