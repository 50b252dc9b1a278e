/** `tallystick.v1.Counters` */
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { type AddResponse, type ReadAddRequest } from '@tallystick/client/wire';
import type { App } from '../app/index.ts';
import { type GrpcLog } from './refusal.ts';
import { type Surroundings } from './unary.ts';
/** One add of a stream: refused by itself. */
export declare function addByItself(app: App, request: ReadAddRequest, log: GrpcLog): Promise<AddResponse>;
/** The unary methods over the use cases. */
export declare function counterHandlers(app: App, around: Surroundings): UntypedServiceImplementation;
//# sourceMappingURL=counters.d.ts.map