// @Count as a legacy decorator. The fixture is compiled by TypeScript itself, as only it emits the
// decorator metadata that frameworks read.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createTallystick, memoryStore } from 'tallystick';
import { Count } from 'tallystick/decorators';
import ts from 'typescript';
import type * as Fixture from './fixture.ts';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));

/** What reflect-metadata adds once the fixture has loaded it. */
const metadata = Reflect as unknown as {
  getOwnMetadataKeys(target: object): unknown[];
  getMetadata(key: string, target: object, name?: string): unknown;
};

/** Compiles the fixture as its tsconfig says, into a folder that sees this repository's packages. */
async function compileFixture(folder: string): Promise<typeof Fixture> {
  const { config } = ts.readConfigFile(join(here, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, here);
  assert.deepEqual([options.experimentalDecorators, options.emitDecoratorMetadata], [true, true]);
  const source = await readFile(join(here, 'fixture.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, { compilerOptions: { ...options, noEmit: false, module: ts.ModuleKind.ES2022 }, fileName: 'fixture.ts' });
  assert.match(outputText, /__decorate\(\[/);
  assert.match(outputText, /__metadata\("design:paramtypes"/);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  await writeFile(join(folder, 'fixture.mjs'), outputText);
  return (await import(pathToFileURL(join(folder, 'fixture.mjs')).href)) as typeof Fixture;
}

describe('@Count as a legacy decorator', () => {
  const tallystick = createTallystick({ store: memoryStore() });
  const { counters } = tallystick;
  const counted = async (key: string): Promise<number> => (await counters.add(key, 0)).value;
  let folder = '';
  let fixture: typeof Fixture;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallystick-legacy-'));
    fixture = await compileFixture(folder);
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await tallystick.close();
  });

  it('keeps route, roles, parameters and types wherever it stands (M01)', async () => {
    const Controller = fixture.controller(counters, 'controller');
    for (const name of ['above', 'between', 'below', 'composed'] as const) {
      const handler = Object.getOwnPropertyDescriptor(Controller.prototype, name)?.value as { readonly route?: string; readonly name: string; readonly length: number };
      assert.deepEqual(metadata.getOwnMetadataKeys(handler).sort(), ['path', 'roles'], name);
      assert.deepEqual([metadata.getMetadata('roles', handler), metadata.getMetadata('path', handler)], [['admin'], `/${name}`]);
      assert.deepEqual([handler.route, handler.name, handler.length], [`/${name}`, name, 2]);
      assert.deepEqual(metadata.getMetadata('params', Controller.prototype, name), { 0: 'id' });
      assert.deepEqual(metadata.getMetadata('design:paramtypes', Controller.prototype, name), [String, Number, Object]);
      assert.equal(new Controller()[name]('a', 5), 'a105');
    }
    assert.equal(await counted('controller'), 4);
  });

  it('lets a guard that reads the roles still deny', async () => {
    const Controller = fixture.controller(counters, 'guarded');
    const call = (handler: (id: string, n: number) => string, role: string): string => {
      const roles = metadata.getMetadata('roles', handler) as string[] | undefined;
      if (roles?.includes(role) === false) return 'denied';
      return Reflect.apply(handler, new Controller(), ['a', 1]);
    };
    for (const name of ['above', 'between', 'below', 'composed'] as const) {
      const handler = Object.getOwnPropertyDescriptor(Controller.prototype, name)?.value as (id: string, n: number) => string;
      assert.deepEqual([call(handler, 'guest'), call(handler, 'admin')], ['denied', 'a101']);
    }
    assert.equal(await counted('guarded'), 4);
  });

  for (const on of ['return', 'throw', 'settle'] as const) {
    it(`gives what an undecorated twin gives, and counts each call once on ${on} (M02)`, async () => {
      const Plain = fixture.twin(() => undefined);
      const onInstance = ['inherited', 'sync', 'async', 'generator', 'asyncGenerator', fixture.secret];
      for (const kind of [...onInstance, 'onClass', 'onClassLater']) for (const ending of ['return', 'throw'] as const) {
        const key = `${String(kind)}:${ending}:${on}`;
        const Counted = fixture.countedTwin(counters, key, on);
        const owners = onInstance.includes(kind) ? [new Plain(), new Counted()] : [Plain, Counted];
        const [expected, actual] = await Promise.all(owners.map((owner) => play(owner, kind, ending)));
        assert.deepEqual(actual, expected);
        assert.equal(await counted(key), on === 'settle' || on === ending ? 1 : 0, key);
      }
    });
  }

  it('limits a method by @RateLimit, and keeps its metadata (M04)', async () => {
    const tallystick = createTallystick({ store: memoryStore(), limits: { one: { algorithm: 'fixed-window', limit: 1, windowMs: 60_000 } } });
    const limited = new fixture.Limited(tallystick.limits);
    assert.equal(await limited.open('a'), 'a');
    await assert.rejects(limited.open('a'), { code: 'RATE_LIMITED' });
    // eslint-disable-next-line @typescript-eslint/unbound-method -- only its metadata is read
    const { open } = limited;
    assert.deepEqual([metadata.getMetadata('roles', open), metadata.getMetadata('path', open)], [['admin'], '/open']);
    await tallystick.close();
  });

  it('takes keys from typed arguments, and counters from the instance', async () => {
    assert.equal(new fixture.Service(counters).login({ id: 'ann' }, 'x'), true);
    assert.equal(await counted('login:ann'), 1);
  });

  it('refuses what is not a method, naming it', () => {
    const count = Count({ counters, key: 'k' }) as unknown as (...args: unknown[]) => undefined;
    for (const [kind, misuse] of Object.entries(fixture.MISUSES)) {
      const message = `${kind === 'class' ? 'class' : 'x'}: @Count expected a method, got a ${kind}`;
      assert.throws(() => misuse(count), { code: 'INVALID_CONFIG', message });
    }
  });
});

/** Calls, takes the result to its end, and says everything a caller can see. */
async function play(owner: object, kind: string | symbol, ending: Fixture.Ending): Promise<unknown[]> {
  const method = Reflect.get(owner, kind) as (...args: unknown[]) => unknown;
  const seen: unknown[] = [method.name, method.length, Reflect.ownKeys(method), Object.prototype.toString.call(method)];
  try {
    const result = Reflect.apply(method, owner, [ending, 1]);
    seen.push(Object.prototype.toString.call(result));
    if (kind === 'generator' || kind === 'asyncGenerator') for await (const item of result as AsyncGenerator) seen.push(item);
    else seen.push(await result);
  } catch (error) {
    seen.push(String(error));
  }
  return seen;
}
