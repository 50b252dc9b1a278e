/** The node's log: JSON lines on standard error. */
import type { Log } from '../app/index.ts';
import type { LogLevel } from '../config/index.ts';

const STANDARD_ERROR = 2;

/** A log of `level`. It writes at once, so that nothing is missing after a crash. */
export async function createLog(level: LogLevel): Promise<Log> {
  const { default: pino } = await import('pino');
  const serializers = { error: pino.stdSerializers.err, err: pino.stdSerializers.err };
  const log: Log = pino({ level, base: { pid: process.pid }, serializers }, pino.destination({ fd: STANDARD_ERROR, sync: true }));
  return log;
}
