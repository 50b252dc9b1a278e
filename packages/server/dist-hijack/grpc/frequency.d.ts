/** `tallystick.v1.FrequencyControl`: the messages are those of the use cases. */
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import type { App } from '../app/index.ts';
import { type Surroundings } from './unary.ts';
/** The methods over the use cases. */
export declare function frequencyHandlers(app: App, around: Surroundings): UntypedServiceImplementation;
//# sourceMappingURL=frequency.d.ts.map