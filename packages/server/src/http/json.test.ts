import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TallystickError } from 'tallystick';
import { parseJson } from './json.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));

function refusalOf(body: string | Buffer): TallystickError {
  try {
    parseJson(Buffer.from(body));
  } catch (error) {
    if (error instanceof TallystickError) return error;
    throw error;
  }
  throw new Error(`was not refused: ${body.toString()}`);
}

describe('parseJson', () => {
  it('agrees with JSON.parse on every document of integers, strings and structure', () => {
    const values = [fc.maxSafeInteger(), fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null)];
    fc.assert(
      fc.property(fc.object({ values }), fc.constantFrom(0, 2), (document, indent) => {
        const text = JSON.stringify(document, undefined, indent);
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
    );
  });

  it('takes an empty body as no body', () => {
    assert.equal(parse(''), undefined);
  });

  it('refuses what is not JSON or not UTF-8', () => {
    for (const body of ['{', 'nope', '{"a":NaN}', '{"a":01}', '{"a":1,}', "{'a':1}", '\ufeff{}', Buffer.from([0x22, 0xff, 0x22]), Buffer.from([0xed, 0xa0, 0x80])]) {
      assert.equal(refusalOf(body).code, 'MALFORMED', String(body));
    }
  });

  it('refuses a number with a fraction that would be read as an integer, and names it', () => {
    const rounded = ['9007199254740991.4', '4503599627370497.2', '0.99999999999999999999', '1e-400', '-1.0000000000000000001', '90071992547409914e-1'];
    for (const number of rounded) {
      assert.ok(Number.isInteger(Number(number)), `${number} is rounded`);
      const { code, field, index, message } = refusalOf(`{"items":[{"key":"a"},{"delta":${number}}]}`);
      assert.deepEqual([code, field, index], ['INVALID_AMOUNT', 'items[1].delta', 1]);
      assert.ok(message.includes(number), message);
    }
  });

  it('leaves integers as they are, however written, and fractions for the field to refuse', () => {
    for (const number of ['10000000000000000000000', '1.50e1', '1e3', '100000000000000000e-2', '0e-5', '0.0000000000000000000', '1.0000000000000000000', '0.5', '5e-1', '123456789.123456789']) {
      assert.deepEqual(parse(`{"delta":${number}}`), { delta: Number(number) });
    }
  });

  it('does not look into strings', () => {
    const text = '{"key":"9007199254740991.4 \\" 1e-400 \\\\","delta":1}';
    assert.deepEqual(parse(text), JSON.parse(text));
  });

  it('takes no longer than a moment for numbers of half a million digits', () => {
    const zeros = '0'.repeat(500_000);
    const began = performance.now();
    assert.equal(refusalOf(`{"delta":0.${zeros}1}`).code, 'INVALID_AMOUNT');
    assert.deepEqual(parse(`{"delta":1${zeros}.5}`), { delta: Infinity });
    assert.ok(performance.now() - began < 2000, `${performance.now() - began} ms`);
  });

  it('survives what is nested without end', () => {
    const deep = '['.repeat(100_000);
    assert.equal(refusalOf(deep).code, 'MALFORMED');
    assert.equal(refusalOf(`${'['.repeat(1000)}1e-400${']'.repeat(1000)}`).code, 'INVALID_AMOUNT');
  });
});
