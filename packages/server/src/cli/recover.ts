/** `tallystick recover`: sends again what a journal holds and Redis does not. */
import { TallystickError } from 'tallystick';
import { replayJournal, type ReplayOptions, type ReplayReport } from 'tallystick/journal';
import { redisStore } from 'tallystick/redis';
import { loadConfig } from '../config/index.ts';
import { createLog } from './log.ts';
import { journalPath } from './open-store.ts';
import { connectRedis } from './redis.ts';
import { EXIT, UsageError, type Terminal } from './terminal.ts';

/** Replays a journal and prints what came of it. */
export async function recover(options: Readonly<Record<string, string>>, terminal: Terminal): Promise<number> {
  const { json, from, to, dryRun, journal, ...flags } = options;
  const { redis, mysql, partitions, data } = await loadConfig({ flags, env: terminal.env });
  if (redis === undefined) throw new TallystickError('INVALID_CONFIG', 'redis: expected the URL of a server, got nothing', { field: 'redis' });
  const times = { ...timeOf('from', from), ...timeOf('to', to) };
  const { client, close } = await connectRedis(redis, await createLog('warn'));
  // Where there is a ledger, what is sent must reach it, too.
  const store = await redisStore({ client, partitions, outbox: mysql !== undefined });
  try {
    const onTorn = (path: string, bytes: number): void => terminal.err(`${path}: the last ${bytes} bytes were cut off by a crash; what they were was never acknowledged`);
    const report = await replayJournal({ store, path: journal ?? journalPath(data), dryRun: dryRun !== undefined, onTorn, ...times });
    terminal.out(json === undefined ? inWords(report, dryRun !== undefined) : JSON.stringify(report));
    return report.lostBatches + report.stranded + report.stale === 0 ? EXIT.ok : EXIT.refused;
  } finally {
    await store.close();
    close();
  }
}

function timeOf(name: 'from' | 'to', text: string | undefined): Partial<Pick<ReplayOptions, 'fromMs' | 'toMs'>> {
  if (text === undefined) return {};
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) throw new UsageError(`${name}: expected a time such as 2026-12-01T03:00:00Z, got ${JSON.stringify(text)}`);
  return { [`${name}Ms`]: atMs };
}

function inWords({ batches, known, sent, lostBatches, stranded, stale }: ReplayReport, isDry: boolean): string {
  const lines = [`${batches} batches in the journal: ${known} known to Redis, ${sent} ${isDry ? 'to be sent' : 'sent'}`];
  if (stranded > 0) lines.push(`${stranded} not sent: ${lostBatches} batches before them are lost`);
  if (stale > 0) lines.push(`${stale} not sent: written so long ago that Redis may have counted them and forgotten it`);
  return lines.join('\n');
}
