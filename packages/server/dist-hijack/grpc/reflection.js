/**
 * Server reflection, which tools such as grpcurl ask for the .proto files. Its package and the parsing of the
 * files take longer than all else at the start of a node, so both wait for the first question.
 */
import { EventEmitter } from 'node:events';
import { status } from '@grpc/grpc-js';
import { PROTO_FILES, PROTO_FOLDER } from '@tallystick/client/wire';
import { refusalOf, statusOf } from "./refusal.js";
const PATHS = ['v1', 'v1alpha'].map((version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`);
/** What the package would add to a server, by path. */
async function load() {
    const [{ loadSync }, { ReflectionService }] = await Promise.all([import('@grpc/proto-loader'), import('@grpc/reflection')]);
    const methods = new Map();
    const addService = (definition, implementation) => {
        for (const [name, { path, requestDeserialize, responseSerialize }] of Object.entries(definition)) {
            const serve = implementation[name];
            methods.set(path, { read: requestDeserialize, write: responseSerialize, serve });
        }
    };
    new ReflectionService(loadSync([...PROTO_FILES], { includeDirs: [PROTO_FOLDER] })).addToServer({ addService });
    return methods;
}
/** Serves a stream of bytes by a method that wants messages. */
function connect(stream, { read, write, serve }) {
    const messages = Object.assign(new EventEmitter(), {
        write: (message) => stream.write(write(message)),
        end: () => stream.end(),
    });
    serve(messages);
    stream.on('end', () => messages.emit('end'));
    stream.on('data', (bytes) => {
        try {
            messages.emit('data', read(bytes));
        }
        catch {
            stream.destroy(Object.assign(new Error('the message is not valid protobuf'), { code: status.INVALID_ARGUMENT }));
        }
    });
}
/** Adds both versions of the service to `server`. */
export function addReflection(server, log) {
    let loading;
    const same = (bytes) => bytes;
    const codec = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
    for (const path of PATHS) {
        const handler = async (stream) => {
            try {
                const method = (await (loading ??= load())).get(path);
                if (method !== undefined)
                    connect(stream, method);
            }
            catch (error) {
                stream.emit('error', statusOf(refusalOf(error, log)));
            }
        };
        const info = { path, requestStream: true, responseStream: true, ...codec };
        server.addService({ ServerReflectionInfo: info }, { ServerReflectionInfo: (stream) => void handler(stream) });
    }
}
//# sourceMappingURL=reflection.js.map