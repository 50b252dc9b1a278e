/** `grpc.health.v1.Health`: whether this node, or one of its services, would serve a call now. */
import { type handleServerStreamingCall, type handleUnaryCall } from '@grpc/grpc-js';
import { type HealthStatus } from '@tallystick/client/wire';
import type { App } from '../app/index.ts';
/** The health of a server and of its `services`. */
export declare class Health {
    #private;
    constructor(app: App, services: readonly string[]);
    /** Check */
    readonly check: handleUnaryCall<Buffer, HealthStatus>;
    /** Watch */
    readonly watch: handleServerStreamingCall<Buffer, HealthStatus>;
    /** Says NOT_SERVING from now on, and ends every watch with it. */
    drain(): void;
}
//# sourceMappingURL=health.d.ts.map