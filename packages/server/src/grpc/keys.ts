/** API keys over gRPC: the metadata `authorization` of each call, checked before anything of it is read. */
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { ApiKeys, Role } from '../app/index.ts';
import { refusalOf, statusOf, type GrpcLog } from './refusal.ts';

/** The role that a method takes; undefined for health, which balancers ask without a key. */
function roleOf(path: string): Role | undefined {
  if (path.startsWith('/grpc.health.')) return undefined;
  return /\/(Batch)?Get\w*$|\/Peek$|\/ServerReflectionInfo$/.test(path) ? 'read' : 'write';
}

/** An interceptor that lets only callers with a key of the method's role pass. */
export function requireKeys(keys: ApiKeys, log: GrpcLog): ServerInterceptor {
  return (method, call) => {
    const role = roleOf(method.path);
    if (role === undefined) return new ServerInterceptingCall(call);
    return new ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, pass) => {
            try {
              keys.check(metadata.get('authorization')[0]?.toString(), role);
            } catch (error) {
              call.sendStatus(statusOf(refusalOf(error, log)));
              return;
            }
            pass(metadata);
          },
        });
      },
    });
  };
}
