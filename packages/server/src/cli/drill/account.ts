/**
 * The account of a drill: per class of keys, what was asked for, and what is found. It balances when Redis holds at least
 * what was acknowledged and at most that and what is in doubt, and the ledger holds exactly what Redis holds.
 */
import type { Sums } from './sheet.ts';
import { SUBJECTS } from './subjects.ts';

/** Amounts of one class of keys. */
export interface ClassAccount {
  readonly keyClass: string;
  readonly attempted: number;
  readonly acknowledged: number;
  /** Attempted, and neither acknowledged nor refused before its process was killed. */
  readonly inDoubt: number;
  readonly redis: number;
  /** Undefined where the ledger does not hold this class. */
  readonly ledger: number | undefined;
  /** Σ over keys of what nothing can explain; 0 when the account balances. */
  readonly difference: number;
}

/** What was found, in the order of the subjects. */
export interface Found {
  readonly redis: readonly number[];
  /** Undefined without a ledger. */
  readonly ledger: readonly number[] | undefined;
}

const inDoubtOf = ({ attempted, acknowledged, refused }: Sums): number => attempted - acknowledged - refused;

function differenceOf(sums: Sums, redis: number, ledger: number | undefined): number {
  const tooLittle = Math.max(0, sums.acknowledged - redis);
  const tooMuch = Math.max(0, redis - sums.acknowledged - inDoubtOf(sums));
  return tooLittle + tooMuch + (ledger === undefined ? 0 : Math.abs(ledger - redis));
}

/** The account, a line for each class of keys. `sums` are in the order of the subjects, and may be missing. */
export function accountOf(sums: readonly Sums[], found: Found): ClassAccount[] {
  const classes = new Map<string, ClassAccount>();
  for (const [row, { keyClass, isInLedger }] of SUBJECTS.entries()) {
    const done = sums[row] ?? { attempted: 0, acknowledged: 0, refused: 0 };
    const redis = found.redis[row] ?? 0;
    const ledger = isInLedger ? found.ledger?.[row] : undefined;
    const before = classes.get(keyClass);
    classes.set(keyClass, {
      keyClass,
      attempted: done.attempted + (before?.attempted ?? 0),
      acknowledged: done.acknowledged + (before?.acknowledged ?? 0),
      inDoubt: inDoubtOf(done) + (before?.inDoubt ?? 0),
      redis: redis + (before?.redis ?? 0),
      ledger: ledger === undefined ? undefined : ledger + (before?.ledger ?? 0),
      difference: differenceOf(done, redis, ledger) + (before?.difference ?? 0),
    });
  }
  return [...classes.values()];
}

/** Σ of the differences. */
export const differenceIn = (account: readonly ClassAccount[]): number => account.reduce((sum, { difference }) => sum + difference, 0);

const COLUMNS = ['attempted', 'acknowledged', 'in doubt', 'Redis', 'ledger', 'difference'] as const;
const WIDTH = 14;

/** The account as lines of a table. */
export function tableOf(account: readonly ClassAccount[]): string[] {
  const line = (first: string, rest: readonly (number | string | undefined)[]): string =>
    `  ${first.padEnd(16)}${rest.map((cell) => (cell === undefined ? '–' : cell.toLocaleString('en')).padStart(WIDTH)).join('')}`;
  return [
    line('', COLUMNS),
    ...account.map(({ keyClass, attempted, acknowledged, inDoubt, redis, ledger, difference }) =>
      line(keyClass, [attempted, acknowledged, inDoubt, redis, ledger, difference])),
  ];
}
