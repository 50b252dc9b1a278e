/** What is printed when a node listens. */
import { type Config } from '../config/index.ts';
import type { Terminal } from './terminal.ts';
/** The ports that were taken. */
export interface Ports {
    readonly http: number;
    readonly grpc: number;
}
/** Says where a node listens and where its counters are. */
export declare function announce(config: Config, ports: Ports, asJson: boolean, { out }: Terminal): void;
//# sourceMappingURL=announce.d.ts.map