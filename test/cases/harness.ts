/**
 * Failures that other counters and limiters were reported to have, told as tests: each is named by the id of its
 * case and says the value that is right, on every store and through every door.
 *
 * One world per store serves a whole group: a store on a clock that the test moves, and three doors to it. The
 * library door is a tallystick of its own on the same store, so that what one door wrote another can read. Each
 * test has keys of its own; the clock only goes forward, except in a world that a test opens for itself.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@tallystick/client';
import {
  createTallystick,
  memoryStore,
  TallystickError,
  type CounterOptions,
  type Store,
  type Tallystick,
} from 'tallystick';
import { calendar } from 'tallystick/calendar';
import { sqliteStore } from 'tallystick/sqlite';
import { manualClock, type ManualClock } from 'tallystick/testing';
import { createApp, type App } from '../../packages/server/src/app/index.ts';
import { startGrpc } from '../../packages/server/src/grpc/index.ts';
import { startHttp } from '../../packages/server/src/http/index.ts';
import type { Door } from './door.ts';
import { httpDoor } from './http-door.ts';
import { httpLimits, type LimitDoor } from './limit-door.ts';

export const STORES = ['memory', 'sqlite'] as const;
export const DOORS = ['library', 'HTTP', 'gRPC'] as const;
export type StoreName = (typeof STORES)[number] | 'redis';
export type DoorName = (typeof DOORS)[number];

export interface WorldOptions {
  readonly clock?: ManualClock;
  readonly counters?: Readonly<Record<string, CounterOptions>>;
  readonly flushEveryMs?: number;
  /** A group with this is run on Redis as well. */
  readonly redis?: (clock: ManualClock) => Store | Promise<Store>;
  /** Puts something between the store and everybody. */
  readonly around?: (store: Store) => Store;
}

/** A store and every door to it. */
export interface World extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly doors: Readonly<Record<DoorName, Door>>;
  readonly limitDoors: Readonly<Record<DoorName, LimitDoor>>;
  readonly tallystick: Tallystick;
  readonly app: App;
  /** `http://host:port` */
  readonly url: string;
  /** `host:port` */
  readonly grpc: string;
  /** What the node logged above `debug`. */
  readonly logged: string[];
}

/** Opens a store that a test has for itself. `path` of the same folder opens the same data again. */
export async function openStore(name: StoreName, clock: ManualClock, path: string): Promise<Store> {
  return name === 'memory' ? memoryStore({ clock }) : sqliteStore({ path: join(path, 'counters.db'), clock });
}

/** Runs `test` with a folder that is removed afterwards. */
export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallystick-cases-'));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const bare = (store: Store): Store => store;

export async function openWorld(name: StoreName, options: WorldOptions = {}): Promise<World> {
  const { clock = manualClock(), counters = {}, flushEveryMs = 100, around = bare, redis } = options;
  const folder = await mkdtemp(join(tmpdir(), 'tallystick-cases-'));
  const store = around(name === 'redis' && redis !== undefined ? await redis(clock) : await openStore(name, clock, folder));
  const logged: string[] = [];
  const note = (_fields: object, message: string): void => void logged.push(message);
  const log = { debug: () => {}, info: note, warn: note, error: note };
  const app = createApp({ store, counters, flushEveryMs });
  const tallystick = createTallystick({ store, counters, calendar, flushEveryMs });
  const http = await startHttp({ app, host: '127.0.0.1', port: 0, maxBodyBytes: 1024 * 1024, log });
  const grpcServer = await startGrpc({ app, address: '127.0.0.1:0', log });
  const grpc = `127.0.0.1:${grpcServer.port}`;
  // Without request ids of its own: what a case counts is what the case sends.
  const client = createClient({ address: grpc, retryWrites: false });
  const url = `http://127.0.0.1:${http.port}`;
  const close = async (): Promise<void> => {
    await client.close();
    await Promise.all([http.close(5000), grpcServer.close(5000), tallystick.close()]);
    await app.close(5000);
    await rm(folder, { recursive: true, force: true });
  };
  const doors = { library: tallystick.counters, HTTP: httpDoor(url), gRPC: client.counters };
  const limitDoors = { library: tallystick.limits, HTTP: httpLimits(url), gRPC: client.limits };
  return { clock, doors, limitDoors, tallystick, app, url, grpc, logged, [Symbol.asyncDispose]: close };
}

/** What a test through one door is given. */
export interface Case extends Omit<World, typeof Symbol.asyncDispose> {
  readonly counters: Door;
  readonly limits: LimitDoor;
  /** A key that no other test has; further ones begin with it. */
  readonly key: string;
  readonly door: DoorName;
  readonly store: StoreName;
}

/** Registers the tests of a group, for one store. */
export interface Group {
  readonly store: StoreName;
  /** A test through each door. */
  readonly everywhere: (name: string, test: (at: Case) => Promise<void>) => void;
  /** A test of the world as a whole, or of the library alone. */
  readonly once: (name: string, test: (at: Case) => Promise<void>) => void;
}

let tests = 0;

/** A group of cases, on every store. */
export function group(title: string, register: (group: Group) => void, options: WorldOptions = {}): void {
  for (const store of options.redis === undefined ? STORES : ([...STORES, 'redis'] as const)) {
    describe(`${title} (${store})`, () => {
      let world: World;
      before(async () => {
        world = await openWorld(store, options);
      });
      after(() => world[Symbol.asyncDispose]());
      const through = (door: DoorName, name: string, test: (at: Case) => Promise<void>): void =>
        void it(name, () => test({ ...world, counters: world.doors[door], limits: world.limitDoors[door], door, store, key: `case:${tests++}` }));
      register({
        store,
        everywhere: (name, test) => DOORS.forEach((door) => { through(door, `${name} [${door}]`, test); }),
        once: (name, test) => { through('library', name, test); },
      });
    });
  }
}

/** The code with which a call is refused. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof TallystickError ? error.code : String(error)),
  );

/** The value under a key. */
export const valueOf = async (door: Door, key: string): Promise<number> => (await door.get(key)).value;

/** Asserts that the counter stands at `value` through every door. */
export async function standsAt({ doors }: Pick<World, 'doors'>, key: string, value: number): Promise<void> {
  for (const door of DOORS) assert.equal(await valueOf(doors[door], key), value, `${JSON.stringify(key.slice(0, 40))} read through ${door}`);
}

export const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
