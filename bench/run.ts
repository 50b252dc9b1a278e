/**
 * `npm run bench -- F1 [F2 …]`: runs rows of the table of floors and ends, for each contest, in one line
 *
 *   F1a ratio=<number> floor=<number> PASS|FAIL
 *
 * A row with one contest has its own id there; one with several has them with a letter each. `--all` runs
 * every row, `--json` prints all figures instead of the text, `--write` puts them into `bench/results.md`.
 * Our side is the built output, as an application gets it. A contest that can't run says why and fails.
 */
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Outcome } from './lib/measure.ts';
import { page, passes, text, verdict, type Report } from './lib/report.ts';
import type { Contest } from './lib/row.ts';
import { rows } from './rows/index.ts';

const CONTEST_PROCESS = fileURLToPath(new URL('lib/contest-process.ts', import.meta.url));
const RESULTS = new URL('results.md', import.meta.url);
/** No contest takes nearly as long. */
const CONTEST_TIMEOUT_MS = 300_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, json: { type: 'boolean' }, write: { type: 'boolean' } },
});

const asked = values.all === true ? Object.keys(rows) : positionals;
const unknown = asked.filter((id) => rows[id] === undefined);
if (asked.length === 0 || unknown.length > 0) {
  console.error(unknown.length > 0 ? `no row ${unknown.join(', ')}` : 'usage: npm run bench -- ID [ID …] | --all [--json] [--write]');
  console.error(`rows: ${Object.keys(rows).join(' ')}`);
  process.exit(2);
}

const reports: Report[] = [];
for (const id of asked) {
  for (const contest of (await rows[id]?.())?.contests ?? []) {
    const report = await run(id, contest);
    reports.push(report);
    if (values.json !== true) console.log(`${text(report)}\n`);
  }
}
if (values.json === true) console.log(JSON.stringify(reports.map((report) => ({ ...report, pass: passes(report) })), undefined, 2));
else if (reports.length > 1) console.log(reports.map(verdict).join('\n'));
if (values.write === true) writeFileSync(RESULTS, page(reports, values.all === true ? '--all' : asked.join(' '), new Date()));
process.exitCode = reports.every(passes) ? 0 : 1;

/** Runs a contest in a process of its own, so that none runs on code another one has warmed or spoiled. */
async function run(rowId: string, contest: Contest): Promise<Report> {
  const { ours: _ours, theirs: _theirs, ...facts } = contest;
  const child = fork(CONTEST_PROCESS, [rowId, contest.id], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    timeout: CONTEST_TIMEOUT_MS,
  });
  let outcome: Outcome | undefined;
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.on('message', (message) => (outcome = message as Outcome));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on('close', (exitCode, endedBy) => {
      resolve([exitCode, endedBy]);
    });
  });
  if (outcome !== undefined && code === 0) return { ...facts, outcome };
  return { ...facts, fault: reason(said) ?? `its process ended with ${signal ?? code}` };
}

/** The line of a stack trace that says what happened. */
function reason(said: string): string | undefined {
  return said.split('\n').find((line) => /Error\b.*:/.test(line))?.trim();
}
