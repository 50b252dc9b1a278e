import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { luaModule } from '../../../../../scripts/lua.mjs';

it('holds the scripts as they are in their files: run `node scripts/lua.mjs` after a change', () => {
  assert.equal(readFileSync(join(import.meta.dirname, 'lua.ts'), 'utf8'), luaModule());
});
