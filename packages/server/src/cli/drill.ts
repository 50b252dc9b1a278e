/** `tallystick drill`: faults on a private stack under load, and the account afterwards. */
import { differenceIn, tableOf, type ClassAccount } from './drill/account.ts';
import { runDrill } from './drill/run.ts';
import { SCENARIOS, type Scenario } from './drill/scenarios.ts';
import { kafkaHindrance, kafkaJars } from './drill/servers/kafka.ts';
import { stopBySignals, stoppingOnce } from './stopping.ts';
import { EXIT, UsageError, type Terminal } from './terminal.ts';

/** A scenario by its name. */
type Named = readonly [name: string, scenario: Scenario];

const MINUTE_MS = 60_000;
const LIST = 'list';

/** Runs the drills that are asked for, and says whether each balances. */
export async function drill(options: Readonly<Record<string, string>>, terminal: Terminal): Promise<number> {
  const { scenario = '', minutes, strikes = '3', seed, ledgerLess, json } = options;
  if (scenario === LIST) return list(json !== undefined, terminal);
  const jars = options['kafkaJars'] ?? kafkaJars();
  const chosen = choose(scenario, ledgerLess !== undefined, jars, terminal);
  const times = wholeNumber('strikes', strikes);
  const stopping = new AbortController();
  stopBySignals(stoppingOnce(() => { stopping.abort(); }, () => process.exit(EXIT.refused)));
  let failures = 0;
  for (const [name, one] of order(chosen, minutes, seed, terminal)) {
    const account = await runDrill(one, { strikes: times, ledger: ledgerLess === undefined, kafkaJars: jars, signal: stopping.signal });
    const difference = differenceIn(account);
    if (difference !== 0) failures++;
    tell({ name, what: one.what, strikes: times, account, difference }, json !== undefined, terminal);
  }
  return failures === 0 ? EXIT.ok : EXIT.refused;
}

function list(asJson: boolean, { out }: Terminal): number {
  for (const [name, { what, needs }] of Object.entries(SCENARIOS)) {
    out(asJson ? JSON.stringify({ name, what, needs }) : `${name.padEnd(18)}${what}${needs.length === 0 ? '' : ` (${needs.join(', ')})`}`);
  }
  return EXIT.ok;
}

/** What is asked for by name must be possible; of all of them, what is not possible here is left out and said. */
function choose(names: string, isLedgerLess: boolean, jars: string, { err }: Terminal): Named[] {
  const hindrance = kafkaHindrance(jars);
  const asked = names === '' ? Object.keys(SCENARIOS) : names.split(',');
  const chosen = asked.map((name): Named => {
    const scenario = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
    if (scenario === undefined) throw new UsageError(`scenario: expected "${LIST}" or some of ${Object.keys(SCENARIOS).join(', ')}, got ${JSON.stringify(name)}`);
    if (names !== '' && isLedgerLess && scenario.needs.includes('ledger')) throw new UsageError(`scenario: ${name} needs the ledger, which --ledger-less leaves out`);
    if (names !== '' && scenario.needs.includes('kafka') && hindrance !== undefined) throw hindrance;
    return [name, scenario];
  });
  if (names === '' && !isLedgerLess && hindrance !== undefined) err(`left out what needs Kafka: ${hindrance.message}`);
  return chosen.filter(([, { needs }]) => !(isLedgerLess && needs.includes('ledger')) && !(hindrance !== undefined && needs.includes('kafka')));
}

/** Each once; with `minutes`, any of them, by a seed that is said, until the time is over. */
function* order(chosen: readonly Named[], minutes: string | undefined, seed: string | undefined, { err }: Terminal): Generator<Named> {
  if (minutes === undefined) {
    if (seed !== undefined) throw new UsageError('seed: expected together with --minutes, which it is for');
    yield* chosen;
    return;
  }
  const untilMs = performance.now() + wholeNumber('minutes', minutes) * MINUTE_MS;
  let state = seed === undefined ? Date.now() % 1_000_000 : wholeNumber('seed', seed);
  err(`seed ${state}`);
  do {
    // Numerical Recipes' linear congruential generator; its upper bits choose.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const next = chosen[Math.floor((state / 2 ** 32) * chosen.length)];
    if (next !== undefined) yield next;
  } while (performance.now() < untilMs);
}

function wholeNumber(field: string, text: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number === 0) throw new UsageError(`${field}: expected a whole number from 1 on, got ${JSON.stringify(text)}`);
  return number;
}

interface Outcome {
  readonly name: string;
  readonly what: string;
  readonly strikes: number;
  readonly account: readonly ClassAccount[];
  readonly difference: number;
}

function tell(outcome: Outcome, asJson: boolean, { out }: Terminal): void {
  if (asJson) {
    out(JSON.stringify(outcome));
    return;
  }
  const { name, what, strikes, account, difference } = outcome;
  out(`${name}: ${what}; ${strikes} times`);
  for (const line of tableOf(account)) out(line);
  const off = account.filter((one) => one.difference !== 0).map(({ keyClass }) => keyClass);
  out(difference === 0 ? '  balances' : `  DOES NOT BALANCE: ${off.join(', ')}`);
}
