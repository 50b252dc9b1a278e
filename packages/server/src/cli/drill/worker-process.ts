/** A process that carries the log, as `tallystick sync` does, but that others take over from it sooner. */
import type { MysqlTarget, RedisTarget } from '../../config/index.ts';
import { startStages } from '../stages.ts';
import { patiently, silentLog } from './patiently.ts';
import { PARTITIONS } from './subjects.ts';

/** What it is told, as JSON. */
export interface WorkerTask {
  readonly redis: RedisTarget;
  readonly mysql: MysqlTarget;
  readonly kafka?: readonly string[];
  /** After how long others take over from a worker that is silent, in milliseconds. */
  readonly takeOverMs: number;
}

const task = JSON.parse(process.argv[2] ?? '') as WorkerTask;
await patiently(() => startStages({ kafka: undefined, partitions: PARTITIONS, ...task }, { relay: true, sink: true }, silentLog));
process.send?.('started');
process.on('disconnect', () => process.exit());
