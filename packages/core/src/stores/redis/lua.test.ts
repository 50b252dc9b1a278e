import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { luaModule } from '../../../../../scripts/lua.mjs';

it('holds the scripts as they are in their files: run `node scripts/lua.mjs` after a change', () => {
  assert.equal(readFileSync(join(import.meta.dirname, 'lua.ts'), 'utf8'), luaModule());
});

/** Scripts that only relays run. */
const OF_RELAYS = ['page.lua', 'trim.lua', 'lease.lua', 'relays.lua'];

it('asks at opening for every command that a script of counters runs', () => {
  const folder = join(import.meta.dirname, 'scripts');
  const texts = readdirSync(folder).filter((file) => !OF_RELAYS.includes(file)).map((file) => readFileSync(join(folder, file), 'utf8'));
  const run = texts.flatMap((text) => [...text.matchAll(/redis\.p?call\('([A-Z_]+)'/g)].map(([, command]) => command));
  const list = /local COMMANDS = \{([^}]+)\}/.exec(readFileSync(join(folder, 'open.lua'), 'utf8'))![1]!;
  assert.deepEqual([...list.matchAll(/'([A-Z_]+)'/g)].map(([, command]) => command), [...new Set(run)].toSorted());
});
