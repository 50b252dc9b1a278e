/**
 * SIGKILL of a real server at random moments under load, and the account afterwards.
 *
 * Every add carries a request id. Per key three sums are kept: acknowledged (answered `applied`), in doubt
 * (sent, no answer), attempted (both). After each restart:
 *
 * 1. acknowledged ≤ value ≤ attempted;
 * 2. every add in doubt is asked again under its id; those answered `replayed` had been applied before the
 *    kill, so the value of 1 must have been exactly acknowledged + those;
 * 3. now the value must be exactly attempted: asking again counted nothing twice.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type RunningServer } from '../support/server.ts';
import { seededRandom } from '../support/random.ts';

export interface KillsOptions {
  readonly kills: number;
  readonly seed: number;
  /** Told after each kill. */
  readonly onKill?: (account: KillAccount) => void;
}

/** What one kill came to. */
export interface KillAccount {
  readonly kill: number;
  readonly acknowledged: number;
  readonly inDoubt: number;
  /** Of those in doubt, applied before the kill. */
  readonly applied: number;
}

interface Add {
  readonly key: string;
  readonly delta: number;
  readonly requestId: string;
}

interface Reply {
  readonly results: readonly { readonly outcome: string; readonly value: number; readonly replayed?: true }[];
}

const CALLERS = 24;
const KEYS = Array.from({ length: 12 }, (_, i) => `kill:${i}`);

async function post(server: RunningServer, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`http://${server.http}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
}

const add = async (server: RunningServer, item: Add): Promise<Reply['results'][number] | undefined> => {
  const { results } = (await post(server, '/v1/counters/add', { items: [item] })) as Reply;
  return results[0];
};

async function values(server: RunningServer): Promise<number[]> {
  const { results } = (await post(server, '/v1/counters/get', { keys: KEYS })) as Reply;
  return results.map(({ value }) => value);
}

/** The sums per key, in the order of {@link KEYS}. */
const sums = (adds: readonly Add[]): number[] => KEYS.map((key) => adds.filter((one) => one.key === key).reduce((sum, { delta }) => sum + delta, 0));

const plus = (a: readonly number[], b: readonly number[]): number[] => a.map((value, i) => value + (b[i] ?? 0));

/** Adds until the server is gone. */
class Load {
  readonly acknowledged: Add[] = [];
  readonly inDoubt: Add[] = [];
  /** Resolves when the load is under way. */
  readonly underWay: Promise<void>;
  /** Resolves when every caller has found the server gone. */
  readonly ended: Promise<void>;
  #begun: () => void = () => undefined;

  constructor(server: RunningServer, name: string, random: () => number) {
    this.underWay = new Promise((resolve) => (this.#begun = resolve));
    this.ended = Promise.all(Array.from({ length: CALLERS }, (_, id) => this.#call(server, `${name}-${id}`, random))).then(this.#begun);
  }

  async #call(server: RunningServer, name: string, random: () => number): Promise<void> {
    for (let n = 0; ; n++) {
      const key = KEYS[Math.floor(random() * KEYS.length)] ?? '';
      const item = { key, delta: 1 + Math.floor(random() * 3), requestId: `${name}-${n}` };
      const result = await add(server, item).catch(() => undefined);
      if (result?.outcome !== 'applied') return void this.inDoubt.push(item);
      if (this.acknowledged.push(item) > CALLERS * 4) this.#begun();
    }
  }
}

/** Asks again for what is in doubt; returns what had been applied before. */
async function askAgain(server: RunningServer, inDoubt: readonly Add[]): Promise<Add[]> {
  const results = await Promise.all(inDoubt.map((item) => add(server, item)));
  assert.ok(results.every((result) => result?.outcome === 'applied'), 'every add that is asked again is answered');
  return inDoubt.filter((_, i) => results[i]?.replayed);
}

/** Runs the kills; throws when an account does not balance. */
export async function killsUnderLoad({ kills, seed, onKill }: KillsOptions): Promise<void> {
  const random = seededRandom(seed);
  const data = mkdtempSync(join(tmpdir(), 'tallystick-kills-'));
  let server = await startServer({ data });
  let before = KEYS.map(() => 0);
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const load = new Load(server, `${seed}-${kill}`, random);
      await load.underWay;
      await new Promise((resolve) => setTimeout(resolve, random() * 400));
      await server.kill();
      await load.ended;
      const { acknowledged, inDoubt } = load;

      server = await startServer({ data });
      const found = await values(server);
      const applied = await askAgain(server, inDoubt);
      const expected = plus(plus(before, sums(acknowledged)), sums(applied));
      assert.deepEqual(found, expected, `kill ${kill} of seed ${seed}: value = acknowledged + in doubt and applied`);
      before = plus(plus(before, sums(acknowledged)), sums(inDoubt));
      assert.deepEqual(await values(server), before, `kill ${kill} of seed ${seed}: value = attempted, after asking again`);
      onKill?.({ kill, acknowledged: acknowledged.length, inDoubt: inDoubt.length, applied: applied.length });
    }
  } finally {
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  }
}
