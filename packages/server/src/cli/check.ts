/** `tallystick check`: compares what Redis has with what the ledger has, and puts one of them right where that is asked for. */
import { TallystickError, type Store } from 'tallystick';
import { RedisTotals, redisStore, type RedisClient } from 'tallystick/redis';
import { loadConfig } from '../config/index.ts';
import { check as compare, isConsistent, type CheckOptions, type CheckReport } from '../pipeline/check/check.ts';
import { repairLedger, repairStore } from '../pipeline/check/repair.ts';
import type { Ledger } from '../pipeline/ledger/ledger.ts';
import { openMysqlLedger } from '../pipeline/ledger/mysql/mysql-ledger.ts';
import { createLog } from './log.ts';
import { countOf, required } from './options.ts';
import { connectRedis } from './redis.ts';
import { EXIT, UsageError, type Terminal } from './terminal.ts';

/** The side that is put right. */
type Side = 'redis' | 'ledger';

/** What is open for a check. */
interface Opened {
  readonly client: RedisClient;
  readonly ledger: Ledger;
  /** Its batches leave records, or not. */
  readonly storeWith: (outbox: boolean) => Promise<Store>;
}

const SAMPLE = '100';
const CONNECTIONS = 8;
const SAY_EVERY_MS = 2000;

/** Compares, and prints what differs. */
export async function check(options: Readonly<Record<string, string>>, terminal: Terminal): Promise<number> {
  const { json, sample, full, repair, waitMs, ...flags } = options;
  if (full !== undefined && sample !== undefined) throw new UsageError('sample: expected nothing beside --full');
  const scope = full === undefined ? { sample: countOf('sample', sample ?? SAMPLE) } : {};
  const wait = waitMs === undefined ? {} : { waitMs: countOf('wait-ms', waitMs) };
  const { redis, mysql } = await loadConfig({ flags, env: terminal.env });
  const targets = { redis: required('redis', redis, 'the URL of a server'), mysql: required('mysql', mysql, 'the URL of a database') };
  const ledger = await openMysqlLedger({ target: targets.mysql, connections: CONNECTIONS });
  const { client, close } = await connectRedis(targets.redis, await createLog('warn')).catch(closing(ledger));
  const stores: Store[] = [];
  const storeWith = async (outbox: boolean): Promise<Store> => {
    const store = await redisStore({ client, partitions: ledger.partitions, outbox });
    stores.push(store);
    return store;
  };
  try {
    const onProgress = json === undefined ? progressTo(terminal) : undefined;
    const report = await run({ client, ledger, storeWith }, repair as Side | undefined, { ...scope, ...wait, ...(onProgress && { onProgress }) });
    terminal.out(json === undefined ? inWords(report, repair) : inJson(report));
    return isConsistent(report) ? EXIT.ok : EXIT.refused;
  } finally {
    for (const store of stores) await store.close();
    close();
    await ledger.close();
  }
}

function closing(ledger: Ledger): (error: unknown) => Promise<never> {
  return async (error) => {
    await ledger.close();
    throw error;
  };
}

/** Two that repair at the same time would both add what is lacking, so one of them is refused. */
async function run(opened: Opened, side: Side | undefined, some: Partial<CheckOptions>): Promise<CheckReport> {
  const { client, ledger, storeWith } = opened;
  const options = { live: new RedisTotals({ client, partitions: ledger.partitions }), store: await storeWith(true), ledger, ...some };
  if (side === undefined) return compare(options);
  const repair = side === 'ledger' ? repairLedger(ledger) : repairStore(await storeWith(false));
  let report: CheckReport | undefined;
  await ledger.alone('-repair', async () => { report = await compare({ ...options, repair }); });
  if (report === undefined) throw new TallystickError('DATA_IN_USE', 'repair: another check is repairing; run this again when it is done', { field: 'repair' });
  return report;
}

function progressTo({ err }: Terminal): (report: CheckReport) => void {
  let saidMs = 0;
  return ({ looked, differing, tookMs }) => {
    if (tookMs - saidMs < SAY_EVERY_MS) return;
    saidMs = tookMs;
    err(`${count(looked)} keys looked at, ${count(differing)} differ`);
  };
}

const count = (n: number): string => n.toLocaleString('en');

function inWords({ looked, inFlight, differing, unsettled, repaired, differingPercent, examples, deadLetters, tookMs }: CheckReport, side: string | undefined): string {
  const percent = differingPercent.toLocaleString('en', { maximumSignificantDigits: 3 });
  const lines = [`looked at ${count(looked)} keys in ${(tookMs / 1000).toFixed(1)} s: ${count(differing)} differ (${percent} %), ${count(inFlight)} were on their way`];
  for (const { partition, key, live, ledger } of examples) lines.push(`  ${JSON.stringify(key)} in partition ${partition}: redis ${live}, ledger ${ledger}`);
  if (differing > examples.length) lines.push(`  and ${count(differing - examples.length)} more`);
  if (side !== undefined) lines.push(`put right in ${side === 'redis' ? 'Redis' : 'the ledger'}: ${count(repaired)}`);
  if (unsettled > 0) lines.push(`${count(unsettled)} cannot be told: the log did not reach the ledger in time, or they are changed by something beside it`);
  for (const [reason, letters] of Object.entries(deadLetters)) lines.push(`${count(letters)} records are parked (${reason}): tallystick sync dead-letters list`);
  return lines.join('\n');
}

function inJson({ examples, ...report }: CheckReport): string {
  const shown = examples.map(({ partition, key, live, ledger }) => ({ partition, key, redis: plain(live), ledger: plain(ledger) }));
  return JSON.stringify({ ...report, examples: shown });
}

/** A number; digits where that would not be exact. */
const plain = (value: bigint): number | string => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
