import { type Server } from '@grpc/grpc-js';
import { type GrpcLog } from './refusal.ts';
/** Adds both versions of the service to `server`. */
export declare function addReflection(server: Pick<Server, 'addService'>, log: GrpcLog): void;
//# sourceMappingURL=reflection.d.ts.map