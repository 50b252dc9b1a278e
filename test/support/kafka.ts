/**
 * Starts Kafka as the drill does. Its jars come from Maven Central, once, into the folder where the drill looks for them.
 * Where Java or Maven is missing it is installed, if it can be.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KAFKA_VERSION, kafkaJars, startKafka as start, type KafkaServer } from '../../packages/server/src/cli/drill/servers/kafka.ts';
import { ensureInstalled } from './install.ts';

export type { KafkaServer } from '../../packages/server/src/cli/drill/servers/kafka.ts';

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA_VERSION}</version>
  </dependency></dependencies>
</project>
`;

/** The folder of Kafka's jars; fetched at the first time. Two that fetch at once do no harm: the folder appears whole. */
export function fetchedKafkaJars(): string {
  ensureInstalled('java', 'openjdk-17-jre-headless', '-version');
  const folder = kafkaJars();
  if (existsSync(folder)) return folder;
  ensureInstalled('mvn', 'maven', '-version');
  const cache = dirname(folder);
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, 'fetch-'));
  writeFileSync(join(scratch, 'pom.xml'), POM);
  const { status, stdout } = spawnSync('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=jars'], { cwd: scratch, encoding: 'utf8' });
  if (status !== 0) throw new Error(`Kafka ${KAFKA_VERSION} could not be fetched from Maven Central:\n${stdout}`);
  if (!existsSync(folder)) renameSync(join(scratch, 'jars'), folder);
  rmSync(scratch, { recursive: true, force: true });
  return folder;
}

/** Starts a broker without topics. */
export async function startKafka(): Promise<KafkaServer> {
  return start(fetchedKafkaJars());
}
