import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or less when `signal` is aborted. Never rejects. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
}
