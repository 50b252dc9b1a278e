/** `npm run prove -- drill [MINUTES]`: `tallystick drill --minutes`, from source, with Kafka fetched where it is missing. */
import { spawnSync } from 'node:child_process';
import { fetchedKafkaJars } from '../support/kafka.ts';
import { repositoryRoot, sourceRun } from '../support/server.ts';

const minutes = process.argv[2] ?? '10';
const main = `${repositoryRoot}/packages/server/src/cli/main.ts`;
const args = [...sourceRun, main, 'drill', '--minutes', minutes, '--kafka-jars', fetchedKafkaJars()];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
