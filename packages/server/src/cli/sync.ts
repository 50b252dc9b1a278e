/** `tallystick sync`: carries the log from Redis to the ledger, as one of any number of workers. */
import { formatMysqlTarget, formatRedisTarget, loadConfig } from '../config/index.ts';
import { createLog } from './log.ts';
import { required } from './options.ts';
import { startStages } from './stages.ts';
import { stopBySignals, stoppingOnce } from './stopping.ts';
import { EXIT, type Terminal } from './terminal.ts';

/** Runs the stages until it is told to stop. */
export async function sync(options: Readonly<Record<string, string>>, terminal: Terminal): Promise<number> {
  const { json, relay, sink, ...flags } = options;
  const { redis, mysql, kafka, partitions, logLevel } = await loadConfig({ flags, env: terminal.env });
  const targets = { redis: required('redis', redis, 'the URL of a server'), mysql: required('mysql', mysql, 'the URL of a database') };
  const isOne = relay !== undefined || sink !== undefined;
  if (isOne) required('kafka', kafka, 'brokers, without which relay and sink are one');
  const share = { relay: !isOne || relay !== undefined, sink: !isOne || sink !== undefined };
  const log = await createLog(logLevel);
  const close = await startStages({ ...targets, kafka, partitions }, share, log);
  const carrying = { redis: formatRedisTarget(targets.redis), kafka, mysql: formatMysqlTarget(targets.mysql), ...share };
  terminal.out(json === undefined ? `carrying the log from ${carrying.redis} to ${carrying.mysql}` : JSON.stringify(carrying));
  log.info({ signal: await told() }, 'draining');
  await close();
  return EXIT.ok;
}

/** Resolves at the first word to stop; a second one ends the process at once, which loses nothing: what was on its way comes again. */
function told(): Promise<string> {
  return new Promise((resolve) => { stopBySignals(stoppingOnce(resolve, () => process.exit(EXIT.refused))); });
}
