/** `tallystick sync dead-letters`: the records that the ledger could not apply. */
import { loadConfig } from '../config/index.ts';
import type { DeadLetter, DeadLetterFilter, DeadLetterReason, Ledger } from '../pipeline/ledger/ledger.ts';
import { openMysqlLedger } from '../pipeline/ledger/mysql/mysql-ledger.ts';
import { countOf, required } from './options.ts';
import { EXIT, UsageError, type Terminal } from './terminal.ts';

type Options = Readonly<Record<string, string>>;

const LIMIT = '100';

/** What is done with letters: returns the exit code. */
type Work = (ledger: Ledger, filter: DeadLetterFilter) => Promise<number>;

/** Prints dead letters, the oldest first. */
export function listDeadLetters(options: Options, terminal: Terminal): Promise<number> {
  const { json, limit = LIMIT, ...rest } = options;
  const most = countOf('limit', limit);
  return withLedger(rest, terminal, async ({ deadLetters }, filter) => {
    const letters = await deadLetters.list(filter, most);
    if (json !== undefined) for (const letter of letters) terminal.out(JSON.stringify(letter));
    else terminal.out(letters.length === 0 ? 'none' : letters.map(lineOf).join('\n'));
    return EXIT.ok;
  });
}

/** Applies what can be applied by now, each once. */
export function replayDeadLetters(options: Options, terminal: Terminal): Promise<number> {
  const { json, giveUp, ...rest } = options;
  return withLedger(rest, terminal, async ({ deadLetters }, filter) => {
    const replayed = await deadLetters.replay(filter, giveUp !== undefined);
    const { applied, skipped, left, lost } = replayed;
    const words = [`${applied} applied, ${skipped} had been applied before, ${left} stay parked`, ...(lost > 0 ? [`${lost} batches before them are given up as lost`] : [])];
    terminal.out(json === undefined ? words.join('\n') : JSON.stringify(replayed));
    return left === 0 ? EXIT.ok : EXIT.refused;
  });
}

/** Removes dead letters: what they hold is never counted. */
export function dropDeadLetters(options: Options, terminal: Terminal): Promise<number> {
  const { json, all, ...rest } = options;
  const { id, partition, reason } = rest;
  if (all === undefined && (id ?? partition ?? reason) === undefined) throw new UsageError('drop: expected --id, --partition, --reason or --all, got none: what is dropped is never counted');
  return withLedger(rest, terminal, async ({ deadLetters }, filter) => {
    const dropped = await deadLetters.drop(filter);
    terminal.out(json === undefined ? `${dropped} dropped` : JSON.stringify({ dropped }));
    return EXIT.ok;
  });
}

async function withLedger(options: Options, terminal: Terminal, work: Work): Promise<number> {
  const { id, partition, reason, ...flags } = options;
  const filter = filterOf(id, partition, reason);
  // Settings of a node name a ledger only beside a Redis, of which nothing is asked here.
  const { mysql } = await loadConfig({ flags: { redis: 'redis://127.0.0.1', ...flags }, env: terminal.env });
  const ledger = await openMysqlLedger({ target: required('mysql', mysql, 'the URL of a database') });
  try {
    return await work(ledger, filter);
  } finally {
    await ledger.close();
  }
}

function filterOf(id: string | undefined, partition: string | undefined, reason: string | undefined): DeadLetterFilter {
  return {
    ...(id !== undefined && { ids: id.split(',').map((each) => countOf('id', each)) }),
    ...(partition !== undefined && { partition: partition === '0' ? 0 : countOf('partition', partition) }),
    ...(reason !== undefined && { reasons: [reason as DeadLetterReason] }),
  };
}

function lineOf({ id, partition, reason, source, seq, parkedAt, bytes, fault }: DeadLetter): string {
  const whose = source === undefined ? 'of nobody known' : `of ${JSON.stringify(source)}, seq ${seq ?? '?'}`;
  return `${id}\t${reason}\tpartition ${partition}\t${whose}\t${bytes} bytes\t${parkedAt.toISOString()}\t${fault}`;
}
