/** `npm run prove -- sink [KILLS]`: workers killed so often under load, with a real Kafka and MariaDB; the account must balance. */
import { differenceIn, tableOf } from '../../packages/server/src/cli/drill/account.ts';
import { runDrill } from '../../packages/server/src/cli/drill/run.ts';
import { scenarioOf } from '../drill/mutants.ts';

const kills = Number(process.argv[2] ?? 100);
if (!(Number.isSafeInteger(kills) && kills > 0)) {
  console.error('usage: npm run prove -- sink [KILLS]: expected a whole number from 1 on');
  process.exit(2);
}
const { scenario, kafkaJars } = scenarioOf('killed-sink');
const account = await runDrill(scenario, { strikes: kills, ledger: true, kafkaJars, settleWithinMs: 120_000 });
console.log(`${kills} kills\n${tableOf(account).join('\n')}`);
process.exitCode = differenceIn(account) === 0 ? 0 : 1;
