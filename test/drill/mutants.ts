/** Planted faults of workers, and the drill that must find each. */
import { SCENARIOS, type Scenario } from '../../packages/server/src/cli/drill/scenarios.ts';
import { runDrill } from '../../packages/server/src/cli/drill/run.ts';
import { differenceIn, type ClassAccount } from '../../packages/server/src/cli/drill/account.ts';
import { ensureInstalled } from '../support/install.ts';
import { fetchedKafkaJars } from '../support/kafka.ts';

/** A planted fault. */
export interface Mutant {
  readonly what: string;
  readonly program: URL;
  readonly scenario: string;
  /** Whether the account is off as this fault makes it. */
  readonly isOff: (plain: ClassAccount) => boolean;
}

const tooMuch = ({ ledger = 0, redis }: ClassAccount): boolean => ledger > redis;
const tooLittle = ({ ledger = 0, redis }: ClassAccount): boolean => ledger < redis;
const program = (name: string): URL => new URL(name, import.meta.url);

/** All of them. */
export const MUTANTS: readonly Mutant[] = [
  { what: 'a sink that does not look at progress', program: program('no-progress-process.ts'), scenario: 'lost-commits', isOff: tooMuch },
  { what: 'an outbox that is trimmed early', program: program('early-trim-process.ts'), scenario: 'killed-worker', isOff: tooLittle },
  { what: 'offsets that are committed first', program: program('offsets-first-process.ts'), scenario: 'killed-sink', isOff: tooLittle },
];

const SETTLE_WITHIN_MS = 8000;

/** A scenario, once what it needs is installed. */
export function scenarioOf(name: string): { readonly scenario: Scenario; readonly kafkaJars: string } {
  const scenario = SCENARIOS[name]!;
  ensureInstalled('redis-server', 'redis-server');
  ensureInstalled('mariadbd', 'mariadb-server');
  return { scenario, kafkaJars: scenario.needs.includes('kafka') ? fetchedKafkaJars() : '' };
}

/** Lets the fault strike until the account shows it, at most `rounds` drills; returns the last account. */
export async function drillMutant({ program: worker, scenario: name, isOff }: Mutant, strikes: number, rounds = 3): Promise<ClassAccount[]> {
  const { scenario, kafkaJars } = scenarioOf(name);
  let account: ClassAccount[] = [];
  for (let round = 0; round < rounds; round++) {
    account = await runDrill(scenario, { strikes, ledger: true, kafkaJars, worker, settleWithinMs: SETTLE_WITHIN_MS });
    if (differenceIn(account) > 0 && account.some((one) => one.ledger !== undefined && isOff(one))) break;
  }
  return account;
}
