import { describe } from 'node:test';
import { checkConcurrency } from './contract/concurrency.ts';
import { checkKeys } from './contract/keys.ts';
import { checkLifecycle } from './contract/lifecycle.ts';
import { checkLifetimes } from './contract/lifetimes.ts';
import { checkLimits } from './contract/limits.ts';
import { checkNumbers } from './contract/numbers.ts';
import { checkEffects, checkRequests } from './contract/requests.ts';
import { checkSequence } from './contract/sequence.ts';
import { checkOf, type StoreUnderTest } from './contract/session.ts';
import { checkWindows } from './contract/windows.ts';

/** What {@link storeContract} holds a store to. */
export interface ContractOptions {
  /** Whether the store keeps limits. Default true. */
  readonly limits?: boolean;
}

/**
 * Registers, with `node:test`, the tests that every store passes: each MUST of the `Store` port, and the
 * public cases on numbers, keys, time and concurrency. Run {@link agreesWithReplica} beside it.
 *
 * @example storeContract({ name: 'memory store', open: (options) => memoryStore(options) })
 */
export function storeContract(subject: StoreUnderTest, { limits = true }: ContractOptions = {}): void {
  describe(`${subject.name} keeps the contract of stores`, () => {
    const check = checkOf(subject);
    checkSequence(check);
    checkNumbers(check);
    checkKeys(check);
    checkLifetimes(check);
    checkWindows(check);
    if (limits) checkLimits(check);
    checkRequests(check);
    checkEffects(check);
    checkConcurrency(check);
    checkLifecycle(check, subject);
  });
}
