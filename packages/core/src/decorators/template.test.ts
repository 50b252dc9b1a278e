import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileTemplate } from './template.ts';

const text = (template: string, ...args: unknown[]): string => compileTemplate(template, 'key')(args);

describe('a template', () => {
  it('takes properties of the first argument, positions and paths', () => {
    assert.equal(text('article:read:{id}', { id: 42 }), 'article:read:42');
    assert.equal(text('{0}|{1}', 'a', 'b'), 'a|b');
    assert.equal(text('u:{1.author.id}:{0.tags.1}', { tags: ['x', 'y'] }, { author: { id: 7n } }), 'u:7:y');
    assert.equal(text('{user-id}/{ärger}', { 'user-id': true, ärger: -0 }), 'true/0');
    assert.equal(text('all'), 'all');
  });

  it('writes plain braces doubled', () => {
    assert.equal(text('{{{0}}}:{{}}', 'a'), '{a}:{}');
  });

  it('reads what a class instance inherits and computes', () => {
    class Base { get id(): string { return 'computed'; } }
    assert.equal(text('{id}', new (class extends Base {})()), 'computed');
  });

  it('refuses a syntax error at once, naming the field', () => {
    const wrong = ['', '{', '}', 'a:{id', 'a:id}', '{}', '{ id }', '{id }', '{a..b}', '{.a}', '{a.}', '{0x}', '{-1}', '{a,b}', '{{id}', '{a{b}}'];
    wrong.push('{a}{b}', '{a}x{b}', '{a}7{b}', '{a}%{b}', 'x'.repeat(513), '\ud800{a}', `${'é'.repeat(256)}{a}`);
    for (const template of wrong) {
      assert.throws(() => compileTemplate(template, 'key'), { code: 'INVALID_CONFIG', field: 'key' }, template);
    }
    assert.throws(() => compileTemplate('{a}{b}', 'key'), /key: template "{a}{b}": expected a separator such as : between two parts, got nothing/);
  });

  it('refuses a value that is no identity (K11)', () => {
    const values = [undefined, null, '', NaN, Infinity, {}, [], Symbol('s'), () => 1, new Date(0)];
    for (const value of values) {
      for (const [template, args] of [['k:{0}', [value]], ['k:{id}', [{ id: value }]], ['k:{1.a.b}', [0, { a: { b: value } }]]] as const) {
        assert.throws(() => text(template, ...args), { code: 'INVALID_KEY', field: 'key' });
      }
    }
    for (const args of [[], ['text'], [7], [null], [undefined]]) assert.throws(() => text('k:{id}', ...args), { code: 'INVALID_KEY' });
    assert.throws(() => text('{constructor}', {}), { code: 'INVALID_KEY' });
    assert.throws(() => text('k:{id}', {}), /key: {id}: expected a non-empty string or a number, got undefined/);
  });

  it('gives different texts for different values (K09)', () => {
    const part = fc.oneof(fc.string({ minLength: 1, maxLength: 6 }), fc.stringMatching(/^[:%a]{1,2}$/));
    const parts = fc.tuple(part, part, part);
    for (const template of ['{0}:{1}/{2}', 'a{0}::{1}: {2}z', '{0}·{1}{{{2}}}']) {
      const compiled = compileTemplate(template, 'key');
      fc.assert(
        fc.property(parts, parts, (a, b) => {
          assert.equal(compiled(a) === compiled(b), a.every((value, i) => value === b[i]));
        }),
        { numRuns: 2000 },
      );
    }
    assert.equal(text('{0}:{1}', '1:2', '3'), '1%3A2:3');
    assert.equal(text('{0}:{1}', '1', '2:3'), '1:2:3');
    assert.equal(text('{0}:{1}', '1%3A2', '3'), '1%253A2:3');
  });

  it('leaves a single value as it is, whatever it contains', () => {
    fc.assert(fc.property(fc.string({ minLength: 1 }), (value) => text('a:{0}:z', value) === `a:${value}:z`));
  });
});
