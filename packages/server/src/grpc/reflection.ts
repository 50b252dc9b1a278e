/**
 * Server reflection, which tools such as grpcurl ask for the .proto files. Its package and the parsing of the
 * files take longer than all else at the start of a node, so both wait for the first question.
 */
import { EventEmitter } from 'node:events';
import { status, type Server, type ServerDuplexStream, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { PROTO_FILES, PROTO_FOLDER } from '@tallystick/client/wire';
import { refusalOf, statusOf, type GrpcLog } from './refusal.ts';

type Stream = ServerDuplexStream<Buffer, Buffer>;

/** The one method of a version of the service: how its messages are read and written, and how it is served. */
interface Method {
  readonly read: (bytes: Buffer) => object;
  readonly write: (message: object) => Buffer;
  readonly serve: (stream: EventEmitter) => void;
}

const PATHS = ['v1', 'v1alpha'].map((version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`);

/** What the package would add to a server, by path. */
async function load(): Promise<Map<string, Method>> {
  const [{ loadSync }, { ReflectionService }] = await Promise.all([import('@grpc/proto-loader'), import('@grpc/reflection')]);
  const methods = new Map<string, Method>();
  const addService = (definition: ServiceDefinition, implementation: UntypedServiceImplementation): void => {
    for (const [name, { path, requestDeserialize, responseSerialize }] of Object.entries(definition)) {
      const serve = implementation[name] as unknown as Method['serve'];
      methods.set(path, { read: requestDeserialize as Method['read'], write: responseSerialize, serve });
    }
  };
  new ReflectionService(loadSync([...PROTO_FILES], { includeDirs: [PROTO_FOLDER] })).addToServer({ addService });
  return methods;
}

/** Serves a stream of bytes by a method that wants messages. */
function connect(stream: Stream, { read, write, serve }: Method): void {
  const messages = Object.assign(new EventEmitter(), {
    write: (message: object) => stream.write(write(message)),
    end: () => stream.end(),
  });
  serve(messages);
  stream.on('end', () => messages.emit('end'));
  stream.on('data', (bytes: Buffer) => {
    try {
      messages.emit('data', read(bytes));
    } catch {
      stream.destroy(Object.assign(new Error('the message is not valid protobuf'), { code: status.INVALID_ARGUMENT }));
    }
  });
}

/** Adds both versions of the service to `server`. */
export function addReflection(server: Pick<Server, 'addService'>, log: GrpcLog): void {
  let loading: Promise<Map<string, Method>> | undefined;
  const same = (bytes: Buffer): Buffer => bytes;
  const codec = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
  for (const path of PATHS) {
    const handler = async (stream: Stream): Promise<void> => {
      try {
        const method = (await (loading ??= load())).get(path);
        if (method !== undefined) connect(stream, method);
      } catch (error) {
        stream.emit('error', statusOf(refusalOf(error, log)));
      }
    };
    const info = { path, requestStream: true, responseStream: true, ...codec };
    server.addService({ ServerReflectionInfo: info }, { ServerReflectionInfo: (stream: Stream) => void handler(stream) });
  }
}
