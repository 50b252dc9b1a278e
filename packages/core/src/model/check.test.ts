import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkFunction, checkObject, checkOptions, checkWhole } from './check.ts';

const wild = (value: unknown): never => value as never;

describe('checks of settings', () => {
  const refusals: readonly (readonly [string, () => unknown, object])[] = [
    ['null for an object', () => checkObject(null, 'o'), { code: 'INVALID_ARGUMENT', field: 'o', message: 'o: expected an object, got null' }],
    ['an array for an object', () => checkObject([], 'o'), { message: 'o: expected an object, got an array of 0' }],
    ['no options', () => checkOptions(wild(undefined), []), { code: 'INVALID_CONFIG', field: 'options' }],
    ['an unknown option', () => checkOptions({ a: 1, b: 2 }, ['a']), { code: 'INVALID_CONFIG', field: 'b', message: /^b: expected one of a/ }],
    ['no number', () => checkWhole(NaN, 'n', [1, 9]), { field: 'n', message: 'n: expected an integer from 1 to 9, got NaN' }],
    ['one below', () => checkWhole(0, 'n', [1, 9]), { field: 'n' }],
    ['one above', () => checkWhole(10, 'n', [1, 9]), { field: 'n' }],
    ['a number for a function', () => checkFunction(5, 'f'), { code: 'INVALID_CONFIG', field: 'f', message: 'f: expected a function, got 5' }],
  ];
  for (const [what, check, expected] of refusals) {
    it(`refuse ${what}`, () => { assert.throws(check, { name: 'TallystickError', ...expected }); });
  }

  it('let pass what fits, and what is not there', () => {
    const options = { a: 1 };
    assert.equal(checkOptions(options, ['a']), options);
    checkObject({}, 'o');
    for (const value of [undefined, 1, 9]) checkWhole(value, 'n', [1, 9]);
    for (const value of [undefined, () => 1]) checkFunction(value, 'f');
  });
});
