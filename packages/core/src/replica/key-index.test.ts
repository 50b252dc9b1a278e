import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { KeyIndex } from './key-index.ts';

const key = fc.oneof(fc.nat(40).map(String), fc.constantFrom('__proto__', 'constructor', ''));

describe('KeyIndex', () => {
  it('holds what a Map holds, also when it goes on in further maps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(fc.tuple(key, fc.boolean()), { maxLength: 150 }), (full, commands) => {
        const index = new KeyIndex(full);
        const model = new Map<string, number>();
        for (const [slot, [each, deletes]] of commands.entries()) {
          if (deletes) {
            index.delete(each);
            model.delete(each);
          } else if (!model.has(each)) {
            index.add(each, slot);
            model.set(each, slot);
          }
          assert.equal(index.get(each), model.get(each));
        }
        assert.equal(index.size, model.size);
        assert.deepEqual([...index.keys()].sort(), [...model.keys()].sort());
        for (const [each, slot] of model) assert.equal(index.get(each), slot);
      }),
      { numRuns: 500 },
    );
  });
});
