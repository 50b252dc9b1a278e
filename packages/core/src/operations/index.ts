/** The table of counter kinds: a new kind is one strategy file and one line here (and in `Terms`). */
import type { Kind } from '../model/operation.ts';
import { add } from './add.ts';
import { limits } from './limits/index.ts';
import { log } from './log.ts';
import { sketch } from './sketch.ts';
import type { Strategy } from './strategy.ts';
import { touch } from './touch.ts';
import { window } from './window.ts';

/** State of some kind of counter, known only to its strategy. */
export type State = object;

/** The strategy of each kind. */
export const strategies = {
  count: add,
  log,
  window,
  unique: touch,
  sketch,
  limits,
} satisfies Record<Kind, unknown> as unknown as Record<Kind, Strategy<State>>;
