/**
 * A client process: callers that add through the library, and as many that send plain INCR, until the parent says
 * `stop`. It says `settled` when all of them have their answers, and what it saw when it was told to `close`.
 *
 * The control is what an application would write: INCR, and once more after an error or a second of silence.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createTallystick, type AddResult, type TallystickEvent } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { connect, type Connection, type Deployment } from '../../support/redis-clients.ts';
import { eventually } from '../../support/redis-command.ts';
import { Sheet } from '../../../packages/server/src/cli/drill/sheet.ts';
import { CONTROLS, PARTITIONS, PREFIX, SUBJECTS } from './subjects.ts';

/** What a client process is told. */
export interface ClientTask {
  readonly deployment: Deployment;
  readonly sheet: string;
  readonly name: string;
}

/** What a client process has seen. */
export interface Seen {
  readonly unsettled: number;
  readonly resends: number;
  readonly lostBatches: number;
  /** How often a store said that it had lost batches. */
  readonly behind: number;
  readonly dropped: number;
}

const CALLERS = 16;
/** Between two calls of a caller: enough calls to have many in flight at any fault, and no more load than that. */
const PAUSE_MS = 3;
const REPLY_WITHIN_MS = 1000;
const RETRY_MS = 20;

const { deployment, sheet: path, name } = JSON.parse(process.argv[2] ?? '') as ClientTask;
const sheet = new Sheet(path, SUBJECTS.length + CONTROLS.length);
const seen: Record<TallystickEvent['type'], number> = { resend: 0, behind: 0, gap: 0, outage: 0, recovered: 0, repaired: 0, dropped: 0 };
const connection = await patiently(() => connect(deployment));
const control = await patiently(() => connect(deployment));
const store = await patiently(() => redisStore({ client: connection.client, prefix: PREFIX, partitions: PARTITIONS, commandTimeoutMs: REPLY_WITHIN_MS }));
const tallystick = createTallystick({ store, onEvent: ({ type }) => seen[type]++ });
let running = true;

/** A process may start while servers are away. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const made: T[] = [];
  await eventually('connected', async () => made.push(await attempt()) > 0, 30_000);
  return made[0] as T;
}

/** Every third add has a request id, and every fourth a deadline: it may then be accepted, or refused before it was sent. */
function add(id: string, n: number): Promise<AddResult> {
  const { key, options } = SUBJECTS[n % SUBJECTS.length]!;
  return tallystick.counters.add(key, amount(n), {
    ...options,
    ...(n % 3 === 0 && { requestId: `${id}-${n}` }),
    ...(n % 4 === 0 && { timeoutMs: 100 }),
  });
}

const amount = (n: number): number => 1 + (n % 5);

async function addForLong(id: string, first: number): Promise<void> {
  for (let n = first; running; n++) {
    const row = n % SUBJECTS.length;
    sheet.note(row, 'attempted', amount(n));
    const refused = await add(id, n).then(() => false, () => true);
    sheet.note(row, refused ? 'refused' : 'acknowledged', amount(n));
    await pause(PAUSE_MS);
  }
}

async function incr({ incr: send }: Connection, key: string): Promise<void> {
  for (;;) {
    const sent = send(key).then(() => true, () => false);
    if (await Promise.race([sent, pause(REPLY_WITHIN_MS, false)])) return;
    await pause(RETRY_MS);
  }
}

async function incrForLong(first: number): Promise<void> {
  for (let n = first; running; n++) {
    const row = n % CONTROLS.length;
    sheet.note(SUBJECTS.length + row, 'attempted', 1);
    await incr(control, CONTROLS[row]!);
    sheet.note(SUBJECTS.length + row, 'acknowledged', 1);
    await pause(PAUSE_MS);
  }
}

const callers = Promise.all(Array.from({ length: CALLERS }, (_, n) => Promise.all([addForLong(`${name}-${n}`, n), incrForLong(n)])));

async function close(): Promise<void> {
  const { resends, lostBatches } = tallystick.stats();
  const { unsettled } = await tallystick.close({ timeoutMs: 10_000 });
  await Promise.all([connection.close(), control.close()]);
  sheet.close();
  process.send!({ seen: { unsettled, resends, lostBatches, behind: seen.behind, dropped: seen.dropped } satisfies Seen });
  process.disconnect();
}

process.on('message', (word) => {
  running = false;
  if (word === 'stop') void callers.then(() => process.send!('settled'));
  else void close();
});
// A parent that is gone stops nothing any more.
process.on('disconnect', () => process.exit());
