import type { AddItem, AddOptions, AddResult, CounterReading, GetItem, GetOptions, Refusal } from 'tallystick';

/** What every door can do. */
export interface Door {
  readonly add: (key: string, delta?: number, options?: Omit<AddOptions, 'timeoutMs'>) => Promise<AddResult>;
  readonly get: (key: string, options?: GetOptions) => Promise<CounterReading>;
  readonly addMany: (items: readonly AddItem[], options?: { readonly requestId?: string }) => Promise<readonly (AddResult | Refusal)[]>;
  readonly getMany: (items: readonly (string | GetItem)[]) => Promise<readonly CounterReading[]>;
}
