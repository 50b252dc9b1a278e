/** `tallystick rules check`: whether a rules file is good, and all that is wrong with it. */
import { inWords, readRules } from '../app/index.ts';
import { EXIT, type Terminal } from './terminal.ts';

/** Checks the file of the first word. */
export async function rulesCheck(options: Readonly<Record<string, string>>, { out, err }: Terminal, [file = '']: readonly string[]): Promise<number> {
  const asJson = options['json'] !== undefined;
  const read = await readRules(file);
  if ('problems' in read) {
    if (asJson) out(JSON.stringify({ file, ok: false, problems: read.problems }));
    else for (const problem of read.problems) err(`${file}: ${inWords(problem)}`);
    return EXIT.refused;
  }
  const { version, rules } = read;
  if (asJson) out(JSON.stringify({ file, ok: true, version, rules: rules.count, domains: [...rules.domains.keys()] }));
  else out(`${file}: ${rules.count} rules in ${rules.domains.size} domains, version ${version}`);
  return EXIT.ok;
}
