import { type Store } from 'tallystick';
import type { Log } from '../app/index.ts';
import type { Config } from '../config/index.ts';
/** A store, and what remains to be released when it is closed. */
export interface OpenedStore {
    readonly store: Store;
    readonly release: () => void;
}
/** Opens the store. */
export declare function openStore(config: Config, log: Log): Promise<OpenedStore>;
//# sourceMappingURL=open-store.d.ts.map