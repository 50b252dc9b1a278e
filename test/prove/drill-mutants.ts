/** `npm run prove -- drill-mutants [STRIKES]`: workers with planted faults; the drill must find each. */
import { differenceIn, tableOf } from '../../packages/server/src/cli/drill/account.ts';
import { drillMutant, MUTANTS } from '../drill/mutants.ts';

const strikes = Number(process.argv[2] ?? 6);
if (!(Number.isSafeInteger(strikes) && strikes > 0)) {
  console.error('usage: npm run prove -- drill-mutants [STRIKES]: expected a whole number from 1 on');
  process.exit(2);
}
let missed = 0;
for (const mutant of MUTANTS) {
  const account = await drillMutant(mutant, strikes);
  const isFound = differenceIn(account) > 0;
  if (!isFound) missed++;
  console.log(`${mutant.what}, ${mutant.scenario}: ${isFound ? 'found' : 'MISSED'}\n${tableOf(account).join('\n')}`);
}
process.exitCode = missed === 0 ? 0 : 1;
