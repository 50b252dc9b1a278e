/** What kind of history a seed makes: drawn once, at its beginning. */
import { kinds, type KindName } from './keys.ts';
import type { Weather } from './network.ts';
import type { Random } from './random.ts';

/** How a store comes back. */
export type Comeback = 'whole' | 'behind' | 'empty';

export interface Scenario {
  readonly partitions: number;
  readonly processes: number;
  readonly callers: number;
  readonly calls: number;
  /** Calls that a caller makes at once. */
  readonly burst: number;
  /** Mean pause between the calls of a caller. */
  readonly paceMs: number;
  readonly keys: readonly string[];
  readonly maxPending: number;
  readonly flushEveryMs: number;
  readonly flushAfterAdds: number;
  readonly timeoutMs: number;
  readonly weather: Weather;
  readonly storeFaults: number;
  readonly comebacks: readonly Comeback[];
  /** The longest the store stays away. */
  readonly awayMs: number;
  readonly processFaults: number;
  readonly clockSteps: number;
  /** Whether nobody adds anything after the last fault: lanes must notice by themselves what was lost. */
  readonly endsQuietly: boolean;
}

export function drawScenario(random: Random): Scenario {
  const rough = random.chance(0.8);
  const paceMs = random.pick([0, 2, 10, 10, 50, 200, 150_000]);
  const timeoutMs = random.pick([30, 100, 400]);
  return {
    partitions: random.pick([1, 1, 2, 3]),
    processes: random.between(1, 3),
    callers: random.between(1, 4),
    calls: random.between(2, 10),
    burst: random.pick([1, 1, 2, 12]),
    paceMs,
    keys: drawKeys(random),
    maxPending: random.pick([4, 1_000_000, 1_000_000]),
    flushEveryMs: random.pick([5, 20, 100]) + Math.ceil(paceMs / 10),
    flushAfterAdds: random.pick([3, 100_000]),
    timeoutMs,
    weather: drawWeather(random, rough, timeoutMs),
    storeFaults: rough ? random.between(0, 3) : 0,
    comebacks: random.pick<Comeback[]>([['whole'], ['whole', 'behind'], ['behind'], ['behind', 'empty']]),
    awayMs: random.pick([1, 100, 2_000, paceMs]),
    processFaults: random.pick([0, 0, 1, 3]),
    clockSteps: random.pick([0, 0, 2]),
    // Where adds are far between, what was lost may be too old to be sent again, and only an add tells of that.
    endsQuietly: random.chance(0.3) && paceMs < 1000,
  };
}

/** With only undeclared counters now and then, which is the short way through the lanes. */
function drawKeys(random: Random): string[] {
  const plain: KindName[] = ['unit', 'mixed', 'huge'];
  const names = random.chance(0.3) ? plain : (Object.keys(kinds) as KindName[]);
  const drawn = Array.from({ length: random.between(1, 4) }, () => `${random.pick(names)}:${random.between(0, 2)}`);
  return [...new Set(drawn)];
}

function drawWeather(random: Random, rough: boolean, timeoutMs: number): Weather {
  const up = (most: number): number => (rough && random.chance(0.7) ? random.next() * most : 0);
  return {
    requestLost: up(0.15),
    replyLost: up(0.15),
    duplicated: up(0.2),
    reconnects: random.next(),
    diesSending: random.chance(0.2) ? 0.01 : 0,
    leastDelayMs: random.pick([0, 1, 5]),
    // A round trip takes longer than the time-out now and then.
    mostDelayMs: random.pick([5, 10, timeoutMs * 0.7]),
  };
}
