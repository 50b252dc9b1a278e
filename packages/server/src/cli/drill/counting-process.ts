/**
 * A process under load: callers that add until the parent says `stop`, and say `settled` when all have their answers.
 * What each asks for and hears is noted in a sheet, which is right whenever the process is killed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createTallystick, type AddResult } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import type { RedisTarget } from '../../config/index.ts';
import { connectRedis } from '../redis.ts';
import { patiently, silentLog } from './patiently.ts';
import { Sheet } from './sheet.ts';
import { PARTITIONS, SUBJECTS } from './subjects.ts';

/** What it is told, as JSON. */
export interface CountingTask {
  readonly redis: RedisTarget;
  readonly sheet: string;
  readonly name: string;
  readonly outbox: boolean;
}

const CALLERS = 16;
/** Between two calls of a caller: enough calls to have many in flight at any fault, and no more load than that. */
const PAUSE_MS = 3;
const REPLY_WITHIN_MS = 1000;
const DEADLINE_MS = 100;
const CLOSE_WITHIN_MS = 10_000;

const { redis, sheet: path, name, outbox } = JSON.parse(process.argv[2] ?? '') as CountingTask;
const sheet = new Sheet(path, SUBJECTS.length);
const { client, close } = await patiently(() => connectRedis(redis, silentLog));
const store = await patiently(() => redisStore({ client, partitions: PARTITIONS, outbox, commandTimeoutMs: REPLY_WITHIN_MS }));
const tallystick = createTallystick({ store });
let running = true;

const amount = (n: number): number => 1 + (n % 5);

/** Every third add has a request id, and every fourth a deadline: it may then be accepted, or refused before it was sent. */
function add(id: string, n: number, row: number): Promise<AddResult> {
  const { key = '', options = {} } = SUBJECTS[row] ?? {};
  return tallystick.counters.add(key, amount(n), {
    ...options,
    ...(n % 3 === 0 && { requestId: `${id}-${n}` }),
    ...(n % 4 === 0 && { timeoutMs: DEADLINE_MS }),
  });
}

async function addForLong(id: string, first: number): Promise<void> {
  for (let n = first; running; n++) {
    const row = n % SUBJECTS.length;
    sheet.note(row, 'attempted', amount(n));
    const isRefused = await add(id, n, row).then(() => false, () => true);
    sheet.note(row, isRefused ? 'refused' : 'acknowledged', amount(n));
    await pause(PAUSE_MS);
  }
}

const callers = Promise.all(Array.from({ length: CALLERS }, (_, n) => addForLong(`${name}-${n}`, n)));

process.on('message', (word) => {
  running = false;
  if (word === 'stop') void callers.then(() => process.send?.('settled'));
  else {
    void tallystick.close({ timeoutMs: CLOSE_WITHIN_MS }).then(() => {
      close();
      sheet.close();
      process.send?.('closed');
      process.disconnect();
    });
  }
});
// A parent that is gone stops nothing any more.
process.on('disconnect', () => process.exit());
