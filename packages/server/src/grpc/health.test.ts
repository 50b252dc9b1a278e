// Health and reflection, as tools ask for them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import {
  loadFileDescriptorSetFromBuffer,
  loadSync,
  type MethodDefinition,
  type PackageDefinition,
  type ServiceDefinition,
} from '@grpc/proto-loader';
import { type frequencyService, healthService, type HealthStatus } from '@tallystick/client/wire';
import { memoryStore } from 'tallystick';
import { startGrpcNode, type GrpcNode } from '../../../../test/support/grpc-node.ts';

const { Check, Watch } = healthService;

/** What a node serves beside health and reflection. */
const OURS = ['envoy.service.ratelimit.v3.RateLimitService', 'tallystick.v1.Counters', 'tallystick.v1.FrequencyControl', 'tallystick.v1.Limits'];

/** The statuses a watch of `service` was told, and a promise of its end. */
function watch({ channel }: GrpcNode, service: string): { statuses: HealthStatus[]; first: Promise<void>; ended: Promise<void> } {
  const stream = channel.makeServerStreamRequest(Watch.path, Watch.requestSerialize, Watch.responseDeserialize, service);
  const statuses: HealthStatus[] = [];
  stream.on('data', (status: HealthStatus) => statuses.push(status));
  const first = new Promise<void>((resolve) => stream.once('data', () => resolve()));
  return { statuses, first, ended: new Promise((resolve) => stream.once('end', resolve)) };
}

describe('health over gRPC', () => {
  it('serves the node and each service, and knows no other', async () => {
    await using node = await startGrpcNode();
    for (const service of ['', ...OURS]) {
      assert.equal(await node.call(Check, service), 'SERVING');
    }
    assert.equal((await node.refused(Check, Check.requestSerialize('other'))).status, 'NOT_FOUND');
    assert.equal((await node.refused(Check, Buffer.from([0x0a, 9]))).status, 'INVALID_ARGUMENT');
  });

  it('is not serving when the store is gone', async () => {
    const store = memoryStore();
    await using node = await startGrpcNode({ store });
    await store.close();
    assert.equal(await node.call(Check, ''), 'NOT_SERVING');
  });

  it('tells a watch that it is draining, and ends it', async () => {
    const node = await startGrpcNode();
    const known = watch(node, '');
    const unknown = watch(node, 'other');
    await Promise.all([known.first, unknown.first]);
    await Promise.all([node.close(), known.ended, unknown.ended]);
    assert.deepEqual([known.statuses, unknown.statuses], [['SERVING', 'NOT_SERVING'], ['SERVICE_UNKNOWN']]);
  });
});

interface Question {
  readonly [field: string]: string;
}
interface ReflectionAnswer {
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Buffer[] };
}

describe('reflection over gRPC', () => {
  for (const version of ['v1', 'v1alpha']) {
    it(`tells a generic client all it needs (${version})`, async () => {
      await using node = await startGrpcNode();
      const services = (await ask(node, version, { listServices: '*' })).listServicesResponse!.service.map(({ name }) => name);
      assert.deepEqual([...services].sort(), ['grpc.health.v1.Health', ...OURS].sort());

      const answer = await ask(node, version, { fileContainingSymbol: 'tallystick.v1.FrequencyControl' });
      const { path, requestSerialize, responseDeserialize } = methodOf(
        loadFileDescriptorSetFromBuffer(fileSet(answer.fileDescriptorResponse!.fileDescriptorProto), { defaults: true }),
        'tallystick.v1.FrequencyControl',
        'AddFreq',
      );
      const generic = { path, requestSerialize, responseDeserialize } as unknown as typeof frequencyService.AddFreq;
      const request = { businessId: 3, key: 'generic', timeSpan: 9, timeUnit: 'DAY' };
      const reply: unknown = await node.call(generic, request as unknown as Parameters<typeof generic.requestSerialize>[0]);
      assert.deepEqual(reply, { code: 0, msg: 'OK', businessId: 3, key: 'generic', freq: 1, ttl: 9 * 24 * 3600, accepted: false });
    });
  }
});

const reflectionProtos = new URL('../../../../node_modules/@grpc/reflection/build/proto/', import.meta.url).pathname;

const methodOf = (definition: PackageDefinition, service: string, method: string): MethodDefinition<object, object> =>
  (definition[service] as ServiceDefinition)[method] as MethodDefinition<object, object>;

/** A FileDescriptorSet: the files as its field 1. */
function fileSet(files: readonly Buffer[]): Buffer {
  return Buffer.concat(files.flatMap((file) => [Buffer.from([0x0a, (file.length & 0x7f) | 0x80, file.length >>> 7]), file]));
}

/** Asks one question. */
async function ask(node: GrpcNode, version: string, question: Question): Promise<ReflectionAnswer> {
  const options = { includeDirs: [reflectionProtos], oneofs: true, defaults: true };
  const definition = loadSync(`grpc/reflection/${version}/reflection.proto`, options);
  const { path, requestSerialize, responseDeserialize } = methodOf(
    definition,
    `grpc.reflection.${version}.ServerReflection`,
    'ServerReflectionInfo',
  );
  const stream: ClientDuplexStream<object, object> = node.channel.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  stream.end(question);
  const [answer] = (await stream.toArray()) as ReflectionAnswer[];
  return answer!;
}
