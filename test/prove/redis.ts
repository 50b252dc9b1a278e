/**
 * `npm run prove -- redis [SCENARIO…] [--strikes N]`: client processes under load on real servers that fail, and
 * the account of each scenario beside that of plain INCR through the same faults. Without a name: all of them.
 */
import { parseArgs } from 'node:util';
import { runScenario, type Account } from '../redis/account/run.ts';
import { SCENARIOS } from '../redis/account/scenarios.ts';

const PROCESSES = 3;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { strikes: { type: 'string' } } });
const names = positionals.length > 0 ? positionals : Object.keys(SCENARIOS);
const unknown = names.filter((name) => SCENARIOS[name] === undefined);
const strikes = values.strikes === undefined ? undefined : Number(values.strikes);
if (unknown.length > 0 || (strikes !== undefined && !(Number.isSafeInteger(strikes) && strikes > 0))) {
  console.error(unknown.length > 0 ? `no scenario ${unknown.join(', ')}` : '--strikes: expected a whole number from 1 on');
  console.error(`usage: npm run prove -- redis [SCENARIO…] [--strikes N]\nscenarios: ${Object.keys(SCENARIOS).join(', ')}`);
  process.exit(2);
}

function line(name: string, { attempted, acknowledged, inDoubt, found, difference }: Account): string {
  const figure = (what: string, value: number): string => `${what} ${value.toLocaleString('en')}`.padEnd(25);
  const figures = [figure('attempted', attempted), figure('acknowledged', acknowledged), figure('in doubt', inDoubt), figure('found', found)];
  return `  ${name.padEnd(12)}${figures.join('')}difference ${difference.toLocaleString('en')}`;
}

let failed = 0;
for (const name of names) {
  const scenario = SCENARIOS[name]!;
  const times = strikes ?? scenario.strikes;
  console.log(`${name}: ${scenario.what}; ${times} times, ${PROCESSES} client processes`);
  const { ours, control, seen } = await runScenario(scenario, { processes: PROCESSES, strikes: times });
  console.log(`${line('tallystick', ours)}\n${line('plain INCR', control)}`);
  const holds = ours.difference === 0 && scenario.hasBitten(seen) && seen.lostBatches + seen.dropped + seen.unsettled === 0;
  console.log(`  ${seen.resends} batches sent again, ${seen.behind} times behind: ${holds ? 'balanced' : `FAILS ${JSON.stringify(seen)}`}`);
  if (!holds) failed++;
}
console.log(failed === 0 ? `every account balances` : `${failed} of ${names.length} accounts do not balance`);
process.exitCode = failed === 0 ? 0 : 1;
