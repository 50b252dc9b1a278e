/** One drill: a private stack under load, a fault that strikes several times, and the account afterwards. */
import { setTimeout as pause } from 'node:timers/promises';
import { accountOf, differenceIn, type ClassAccount } from './account.ts';
import { WORKER } from './children.ts';
import type { Scenario } from './scenarios.ts';
import { eventually } from './servers/redis-command.ts';
import { Stack } from './stack.ts';

/** How a drill is run. */
export interface DrillOptions {
  readonly strikes: number;
  /** Whether there is a ledger. A scenario that needs one has it in any case. */
  readonly ledger: boolean;
  readonly kafkaJars: string;
  /** The program of workers. Default: that of this package. */
  readonly worker?: URL;
  /** How long the account may take to balance when the load has stopped, in milliseconds. Default 60,000. */
  readonly settleWithinMs?: number;
  /** Ends the drill early, with everything stopped. */
  readonly signal?: AbortSignal;
}

const SETTLE_WITHIN_MS = 60_000;
/** Whatever is still on its way may be counted in this time, and must not. */
const QUIET_MS = 1500;

/** Runs a scenario; resolves with its account when everything is stopped and removed. */
export async function runDrill(scenario: Scenario, options: DrillOptions): Promise<ClassAccount[]> {
  const stack = new Stack();
  const { signal } = options;
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => { reject(new Error('the drill was stopped')); });
  });
  try {
    return await Promise.race([aborted, drill(stack, scenario, options)]);
  } finally {
    await stack.stop();
  }
}

async function drill(stack: Stack, { needs, strike }: Scenario, options: DrillOptions): Promise<ClassAccount[]> {
  const ledger = options.ledger || needs.includes('ledger');
  await stack.start({
    ledger,
    sentinels: needs.includes('sentinels'),
    kafkaJars: needs.includes('kafka') ? options.kafkaJars : undefined,
    worker: options.worker ?? WORKER,
  });
  for (let done = 0; done < options.strikes; done++) {
    await strike(stack);
    await stack.counting.underWay();
  }
  const account = async (): Promise<ClassAccount[]> => accountOf(stack.counting.sums, await stack.found());
  await stack.counting.stop();
  const balances = async (): Promise<boolean> => differenceIn(await account()) === 0;
  await eventually('the account balances', balances, options.settleWithinMs ?? SETTLE_WITHIN_MS).catch(() => undefined);
  await stack.counting.close();
  await pause(QUIET_MS);
  return account();
}
