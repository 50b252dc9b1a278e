import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTallystick, memoryStore } from 'tallystick';
import { matchOf } from './match.ts';
import { parseRules } from './parse.ts';
import { inWords } from './problems.ts';

const { limits } = createTallystick({ store: memoryStore() });
const parse = (text: string): ReturnType<typeof parseRules> => parseRules(text, (rules) => limits.resolve(rules));

async function rulesOf(text: string) {
  const parsed = await parse(text);
  assert.ok('rules' in parsed, JSON.stringify(parsed));
  return parsed.rules;
}

async function problemsOf(text: string): Promise<string[]> {
  const parsed = await parse(text);
  assert.ok('problems' in parsed);
  return parsed.problems.map(inWords);
}

/** `user=alice path=/x` as entries. */
const entriesOf = (words: string): { key: string; value: string }[] =>
  words.split(' ').map((word) => ({ key: word.slice(0, word.indexOf('=')), value: word.slice(word.indexOf('=') + 1) }));

const SHOP = `
version: 1
onOutage: closed
domains:
  - domain: shop
    tierKey: plan
    descriptors:
      - key: user
        limit: { algorithm: token-bucket, limit: 10, windowMs: 1000 }
        perKey:
          carol: { limit: 99 }
          root: unlimited
        perTier:
          gold: { limit: 50, burst: 60 }
        descriptors:
          - { key: path, value: /login, limit: { algorithm: fixed-window, limit: 1, windowMs: 1000 }, shadow: true }
          - { key: path, value: /api/*, by: [user], limit: [ { algorithm: fixed-window, limit: 2, windowMs: 1000 }, { algorithm: sliding-log, limit: 3, windowMs: 60000 } ] }
          - { key: path, value: /api/admin*, name: admin, limit: unlimited, onOutage: local }
          - { key: path, limit: { algorithm: fixed-window, limit: 4, windowMs: 1000 } }
`;

describe('a rules file', () => {
  it('finds the rule at the end of the entries: an exact value, then the longest beginning, then any', async () => {
    const shop = (await rulesOf(SHOP)).domains.get('shop')!;
    const nameOf = (words: string): string | undefined => matchOf('shop', shop, { entries: entriesOf(words) }, 1)?.rule.name;
    assert.equal(nameOf('user=bob'), 'shop/user');
    assert.equal(nameOf('user=bob path=/login'), 'shop/user/path=/login');
    assert.equal(nameOf('user=bob path=/api/x'), 'shop/user/path=/api/*');
    assert.equal(nameOf('user=bob path=/api/admin/x'), 'admin');
    assert.equal(nameOf('user=bob path=/other'), 'shop/user/path');
    assert.equal(nameOf('path=/login user=bob'), undefined);
    assert.equal(nameOf('user=bob path=/login more=1'), undefined);
  });

  it('changes figures by key, then by tier, and a tier is no part of the subject', async () => {
    const shop = (await rulesOf(SHOP)).domains.get('shop')!;
    const found = (words: string) => matchOf('shop', shop, { entries: entriesOf(words) }, 1)!;
    assert.equal(found('user=bob').figures[0]!.limit, 10);
    assert.deepEqual(found('user=bob plan=gold').figures, [{ name: 'shop/user', algorithm: 'token-bucket', limit: 50, windowMs: 1000, burst: 60 }]);
    assert.equal(found('user=bob plan=gold').subject, found('user=bob').subject);
    assert.equal(found('user=carol plan=gold').figures[0]!.limit, 99);
    assert.deepEqual(found('user=root').figures, []);
  });

  it('tells subjects apart by the entries that the rule names, and however long they are', async () => {
    const shop = (await rulesOf(SHOP)).domains.get('shop')!;
    const subject = (words: string) => matchOf('shop', shop, { entries: entriesOf(words) }, 1)!.subject;
    assert.equal(subject('user=bob path=/api/x'), subject('user=bob path=/api/y'));
    assert.notEqual(subject('user=bob path=/x'), subject('user=bob path=/y'));
    const long = `user=bob path=/${'x'.repeat(5000)}`;
    assert.equal(subject(long), subject(long));
    assert.notEqual(subject(long), subject(`${long}y`));
    assert.ok(subject(long).length < 512);
  });

  it('inherits shadow and the outage policy downwards', async () => {
    const shop = (await rulesOf(SHOP)).domains.get('shop')!;
    const rule = (words: string) => matchOf('shop', shop, { entries: entriesOf(words) }, 1)!.rule;
    assert.deepEqual([rule('user=bob').onOutage, rule('user=bob').isShadow], ['closed', false]);
    assert.deepEqual([rule('user=bob path=/login').onOutage, rule('user=bob path=/login').isShadow], ['closed', true]);
    assert.equal(rule('user=bob path=/api/admin').onOutage, 'local');
  });

  it('tells all that is wrong at once, each with its place, what was expected and what came', async () => {
    const problems = await problemsOf(`
version: 2
surprise: 1
domains:
  - domain: shop
    onOutage: maybe
    descriptors:
      - key: 7
      - key: user
        limit: { algorithm: token-bucket, limit: -1, windowMs: 1000 }
        perKey: { carol: { windowMs: soon } }
        by: [stranger]
      - key: user
        value: '*'
        limit: { algorithm: concurrency, limit: 1, leaseMs: 5 }
      - { key: a, by: [a] }
  - domain: shop
`);
    const expected = [
      'surprise: no such field; known are version, onOutage, outageAfterMs, domains',
      'version: expected 1, got 2',
      'domains[0].onOutage: expected open or closed or local, got "maybe"',
      'domains[0].descriptors[0].key: expected a text of 1 to 128 characters, got 7',
      'domains[0].descriptors[1].limit.limit: expected an integer from 0 to 9007199254740991, got -1',
      'domains[0].descriptors[1].perKey.carol.windowMs: expected an integer from 1 to 316224000000, got "soon"',
      'domains[0].descriptors[1].by: expected keys on the way to the rule (user), got "stranger"',
      'domains[0].descriptors[2].value: expected no value at all, which stands for any, got "*"',
      'domains[0].descriptors[2].limit.algorithm: a lease could not be released here: expected another algorithm',
      'domains[0].descriptors[3].by: means nothing without limit',
      'domains[1].domain: expected each domain once, got "shop"',
    ];
    assert.deepEqual(problems, expected);
  });

  it('refuses what is no YAML, twice the same key, nothing at all and two descriptors alike', async () => {
    assert.equal((await problemsOf('version: [')).length > 0, true);
    assert.match((await problemsOf('version: 1\nversion: 1\ndomains: []'))[0]!, /unique/i);
    assert.deepEqual(await problemsOf(''), ['expected an object, got null']);
    const twice = JSON.stringify({ version: 1, domains: [{ domain: 'a', descriptors: [{ key: 'k' }, { key: 'k' }] }] });
    assert.deepEqual(await problemsOf(twice), ['domains[0].descriptors[1]: an earlier descriptor has the same key and value']);
  });
});
