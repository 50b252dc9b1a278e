/**
 * Taking turns: rival and ours one after the other, so that a noisy machine is noisy for both. The collector is
 * left alone between turns: a forced collection would shrink V8's young generation, and what allocates would
 * pay for growing it again.
 */
import type { Contest, Latency, Side, Turn } from './row.ts';

/** Medians of one side over its turns. */
export interface Figures {
  readonly figure: number;
  readonly cpuUsPerOperation?: number;
  readonly latency?: Latency;
}

/** What a contest came to. */
export interface Outcome {
  readonly ours: Figures;
  readonly theirs: Figures;
  /** Median of the rounds' own ratios: both turns of a round see the same neighbours. */
  readonly ratio: number;
  readonly ratios: readonly number[];
}

const ROUNDS = 7;

/** Middle value; the mean of the two middle ones of an even number. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Runs a contest. Round 0 only warms up; who goes first changes from round to round. */
export async function measure(contest: Contest): Promise<Outcome> {
  const ours = await contest.ours();
  const theirs = await contest.theirs();
  const turns: { ours: Turn; theirs: Turn }[] = [];
  for (let round = contest.cold === true ? 1 : 0; round <= (contest.rounds ?? ROUNDS); round++) {
    const pair = round % 2 === 0 ? await inTurn(theirs, ours) : (await inTurn(ours, theirs)).reverse();
    if (round > 0) turns.push({ theirs: pair[0] as Turn, ours: pair[1] as Turn });
  }
  await ours.close?.();
  await theirs.close?.();
  const ratios = turns.map((turn) => turn.ours.figure / turn.theirs.figure);
  return { ours: summary(turns.map((turn) => turn.ours)), theirs: summary(turns.map((turn) => turn.theirs)), ratio: median(ratios), ratios };
}

async function inTurn(first: Side, second: Side): Promise<Turn[]> {
  return [await first.turn(), await second.turn()];
}

function summary(turns: readonly Turn[]): Figures {
  const cpu = turns.flatMap(({ cpuUsPerOperation }) => cpuUsPerOperation ?? []);
  const latencies = turns.flatMap(({ latency }) => latency ?? []);
  const of = (name: keyof Latency): number => median(latencies.map((latency) => latency[name]));
  return {
    figure: median(turns.map(({ figure }) => figure)),
    ...(cpu.length > 0 && { cpuUsPerOperation: median(cpu) }),
    ...(latencies.length > 0 && { latency: { p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), p999Ms: of('p999Ms') } }),
  };
}

/** Times `work`, which does `operations`, in this process; the figure is operations per second. */
export async function timed(operations: number, work: () => Promise<Latency | undefined>): Promise<Turn> {
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  const latency = await work();
  const wallMs = performance.now() - beganMs;
  const { user, system } = process.cpuUsage(cpu);
  return {
    figure: (operations / wallMs) * 1000,
    cpuUsPerOperation: (user + system) / operations,
    ...(latency !== undefined && { latency }),
  };
}
