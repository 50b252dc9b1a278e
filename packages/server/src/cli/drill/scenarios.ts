/** What happens in a drill, by name. A strike resolves when it is over, so that adds can be answered again. */
import { setTimeout as pause } from 'node:timers/promises';
import { TAKE_OVER_MS, type Stack } from './stack.ts';

/** A fault, and what it needs. */
export interface Scenario {
  readonly what: string;
  /** What the stack has beside Redis and processes that count. */
  readonly needs: readonly ('ledger' | 'kafka' | 'sentinels')[];
  readonly strike: (stack: Stack) => Promise<void>;
}

const AWAY_MS = 1500;
/** Long enough for statements to be executed whose answers are thrown away. */
const DEAF_MS = 300;
/** Beyond its lease, so that others have taken over. */
const zombie = async ({ workers }: Stack): Promise<void> => workers.pauseOne(() => pause(2 * TAKE_OVER_MS));

async function lostReplies(proxy: Stack['redisProxy']): Promise<void> {
  proxy.dropReplies = true;
  await pause(DEAF_MS);
  proxy.cut();
  proxy.heal();
}

async function killed(server: { kill(): Promise<void>; start(): Promise<void> }): Promise<void> {
  await server.kill();
  await pause(AWAY_MS);
  await server.start();
}

async function paused(server: { pause(): void; resume(): void }): Promise<void> {
  server.pause();
  await pause(2 * AWAY_MS);
  server.resume();
}

/** The replica that takes over has not heard of what was acknowledged last. */
async function failOver({ sentinels, counting }: Stack): Promise<void> {
  await sentinels.cutReplication();
  await counting.underWay();
  await sentinels.failOver();
  await counting.underWay();
  await sentinels.rejoin();
}

/** All of them. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'killed-client': {
    what: 'a process that counts is killed (SIGKILL), and another started',
    needs: [],
    strike: ({ counting }) => counting.replaceOne(),
  },
  'lost-replies': {
    what: 'what Redis answers is thrown away, then the connections are cut',
    needs: [],
    strike: ({ redisProxy }) => lostReplies(redisProxy),
  },
  'killed-redis': { what: 'Redis is killed, and started on its append-only file', needs: [], strike: ({ redis }) => killed(redis) },
  'paused-redis': { what: 'Redis stands still for 3 s (SIGSTOP)', needs: [], strike: ({ redis }) => paused(redis) },
  failover: { what: 'failover to a replica that has not heard of acknowledged adds', needs: ['sentinels'], strike: failOver },
  'killed-worker': {
    what: 'a worker that carries the log from Redis to the ledger is killed, and another started',
    needs: ['ledger'],
    strike: ({ workers }) => workers.replaceOne(),
  },
  'paused-worker': { what: 'a worker stands still until others have taken over, and wakes up', needs: ['ledger'], strike: zombie },
  'lost-commits': {
    what: 'MariaDB commits, and its answer is lost with the connection',
    needs: ['ledger'],
    strike: ({ databaseProxy }) => databaseProxy.loseReplyTo('COMMIT'),
  },
  'killed-database': { what: 'MariaDB is killed and started again', needs: ['ledger'], strike: ({ database }) => killed(database) },
  'paused-database': { what: 'MariaDB stands still for 3 s (SIGSTOP)', needs: ['ledger'], strike: ({ database }) => paused(database) },
  'killed-sink': { what: 'a worker is killed, and another started, where the log goes by Kafka', needs: ['ledger', 'kafka'], strike: ({ workers }) => workers.replaceOne() },
  'paused-sink': { what: 'a worker stands still until its group has gone on without it, and wakes up', needs: ['ledger', 'kafka'], strike: zombie },
  'killed-kafka': { what: 'Kafka is killed and started again', needs: ['ledger', 'kafka'], strike: ({ kafka }) => killed(kafka) },
};
