import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorTable, TallystickError, type ErrorCode } from 'tallystick';
import { TOLD_AS, toldOf } from './told.ts';

describe('What callers are told of errors', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const as = TOLD_AS[code];
    it(`is of ${code} ${as === undefined ? 'what it says' : `that it is ${as}, and nothing of what it says`}`, () => {
      const error = new TallystickError(code, 'file /secret/counters.db', { field: 'path' });
      const told = toldOf(error);
      if (as === undefined) assert.equal(told, error);
      else assert.deepEqual([told.code, told.message, told.field, told.cause], [as, errorTable[as].meaning, undefined, error]);
    });
  }

  it('is of any other error that it is a fault', () => {
    const error = new Error('connect 10.0.0.7');
    const told = toldOf(error);
    assert.deepEqual([told.code, told.message, told.cause], ['INTERNAL', errorTable.INTERNAL.meaning, error]);
  });

  it('is of a store that is away nothing that its driver said', () => {
    const error = new TallystickError('STORE_UNAVAILABLE', 'Redis: connect ECONNREFUSED 10.0.0.7:6379', { cause: new Error('connect') });
    assert.deepEqual([toldOf(error).code, toldOf(error).message], ['STORE_UNAVAILABLE', errorTable.STORE_UNAVAILABLE.meaning]);
  });
});
