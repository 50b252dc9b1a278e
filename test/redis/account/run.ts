/**
 * Client processes under load, a fault that strikes them several times, and the account afterwards: per counter,
 * acknowledged ≤ found ≤ acknowledged + in doubt. Only a process that was killed leaves anything in doubt, so
 * without kills what is found must be what was acknowledged, to the unit.
 */
import { createTallystick } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { connect, type Connection } from '../../support/redis-clients.ts';
import { eventually } from '../../support/redis-command.ts';
import type { Seen } from './client-process.ts';
import { Clients } from './clients.ts';
import type { Scenario } from './scenarios.ts';
import type { Sums } from '../../../packages/server/src/cli/drill/sheet.ts';
import { CONTROLS, PARTITIONS, PREFIX, SUBJECTS } from './subjects.ts';

/** Sums over all counters. */
export interface Account {
  readonly attempted: number;
  readonly acknowledged: number;
  readonly inDoubt: number;
  readonly found: number;
  /** Σ of what no outcome of what is in doubt can explain: 0 when the account balances. */
  readonly difference: number;
}

/** What a run came to. */
export interface Outcome {
  readonly ours: Account;
  /** Of plain INCR, tried again when it failed. */
  readonly control: Account;
  readonly seen: Seen;
}

const inDoubtOf = ({ attempted, acknowledged, refused }: Sums): number => attempted - acknowledged - refused;

/** How far a value is from all that it may be: 0 when nothing is wrong. */
function differenceOf(sums: Sums, found: number): number {
  const most = sums.acknowledged + inDoubtOf(sums);
  return found < sums.acknowledged ? sums.acknowledged - found : Math.max(0, found - most);
}

function accountOf(sums: readonly Sums[], found: readonly number[]): Account {
  const total = (of: (sums: Sums, row: number) => number): number => sums.reduce((sum, row, i) => sum + of(row, i), 0);
  return {
    attempted: total(({ attempted }) => attempted),
    acknowledged: total(({ acknowledged }) => acknowledged),
    inDoubt: total(inDoubtOf),
    found: total((_, row) => found[row]!),
    difference: total((row, i) => differenceOf(row, found[i]!)),
  };
}

/** What the servers hold, of the counters and then of the control's keys. */
async function readAll({ client, get }: Connection): Promise<number[]> {
  const store = await redisStore({ client, prefix: PREFIX, partitions: PARTITIONS });
  const tallystick = createTallystick({ store });
  const readings = await tallystick.counters.getMany(SUBJECTS.map(({ key, options: { type, windowMs } }) => ({
    key,
    ...(type !== undefined && { type }),
    ...(windowMs !== undefined && { windowMs }),
  })));
  await tallystick.close();
  return [...readings.map(({ value }) => value), ...(await Promise.all(CONTROLS.map(get)))];
}

const added = (all: readonly Seen[]): Seen => {
  const sum = (figure: keyof Seen): number => all.reduce((total, seen) => total + seen[figure], 0);
  return { unsettled: sum('unsettled'), resends: sum('resends'), lostBatches: sum('lostBatches'), behind: sum('behind'), dropped: sum('dropped') };
};

/** How long lanes may take to find out, by themselves, that a store has lost something, and to repair it. */
const REPAIRED_WITHIN_MS = 20_000;

async function balance(clients: Clients, connection: Connection): Promise<Outcome> {
  const split = SUBJECTS.length;
  const account = async (): Promise<Pick<Outcome, 'ours' | 'control'>> => {
    const found = await readAll(connection);
    const { sums } = clients;
    return { ours: accountOf(sums.slice(0, split), found), control: accountOf(sums.slice(split), found.slice(split)) };
  };
  await clients.stop();
  // Adds that were acknowledged by a server that is gone come back by the next probe of their lane.
  await eventually('the account balances', async () => (await account()).ours.difference === 0, REPAIRED_WITHIN_MS).catch(() => undefined);
  const seen = added(await clients.close());
  // Nothing may be counted by whatever was still on its way.
  return { ...(await account()), seen };
}

/** How hard a run is. */
export interface Run {
  readonly processes: number;
  readonly strikes: number;
}

/** Runs a scenario. */
export async function runScenario(scenario: Scenario, { processes, strikes }: Run): Promise<Outcome> {
  const scene = await scenario.open();
  const clients = new Clients(scene.deployment, processes);
  let connection: Connection | undefined;
  try {
    await clients.underWay();
    for (let strike = 0; strike < strikes; strike++) {
      await scene.strike(clients);
      await clients.underWay();
    }
    connection = await connect(scene.deployment);
    return await balance(clients, connection);
  } finally {
    await clients.remove();
    await connection?.close();
    await scene.stop();
  }
}
