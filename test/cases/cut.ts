import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from 'tallystick';

/** The way to a store, which a test cuts: what is sent meanwhile does not arrive, and fails. */
export class Cut {
  isCut = false;

  /** `store`, on the other side of it. */
  around(store: Store): Store {
    return {
      ...store,
      partitions: store.partitions,
      apply: async (batch) => {
        if (this.isCut) await this.#fail();
        return store.apply(batch);
      },
      read: (partition, queries) => store.read(partition, queries),
      close: () => store.close(),
    };
  }

  async #fail(): Promise<never> {
    await wait(10);
    throw new Error('cut');
  }
}
