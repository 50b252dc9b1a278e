/** Enums of the .proto files, by number. */
import type { CounterType } from 'tallystick';

/** CounterType: what stands for nothing declared, then the types. */
const COUNTER_TYPE_NAMES: readonly (CounterType | undefined)[] = [
  undefined,
  'simple',
  'batched',
  'sliding-log',
  'sliding-window',
  'unique',
  'unique-approx',
  'sharded',
];

/** The number of a type; 0 when none is given. A name that is no type becomes a number that is none. */
export function numberOfType(type: CounterType | undefined): number {
  const number = COUNTER_TYPE_NAMES.indexOf(type);
  return number < 0 ? COUNTER_TYPE_NAMES.length : number;
}

/** The type of a number. A number that is no type becomes a name that is none, for whoever checks it to refuse. */
export function typeOfNumber(number: number): CounterType | undefined {
  return number < COUNTER_TYPE_NAMES.length ? COUNTER_TYPE_NAMES[number] : (`CounterType ${number}` as CounterType);
}

/** What came of an add. */
export type Outcome = 'applied' | 'accepted' | 'refused';

/** Outcome: what stands for none, then the outcomes. */
const OUTCOMES: readonly (Outcome | undefined)[] = [undefined, 'applied', 'accepted', 'refused'];

export const numberOfOutcome = (outcome: Outcome): number => OUTCOMES.indexOf(outcome);

/** The outcome of a number. One that is not known here is taken for `accepted`, which promises least. */
export const outcomeOfNumber = (number: number): Outcome => OUTCOMES[number] ?? 'accepted';
