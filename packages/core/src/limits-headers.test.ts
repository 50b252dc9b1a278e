import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { rateLimitHeaders, rateLimitProblem } from './limits-headers.ts';
import type { NamedLimit } from './limits.ts';
import { memoryStore } from './stores/memory/memory-store.ts';
import { createTallystick } from './tallystick.ts';
import type { Decision } from './model/decision.ts';

const allowed: Decision = { allowed: true, limit: 5, remaining: 4, resetMs: 59_001, retryAfterMs: 0, reason: 'allowed', rule: 'login', source: 'store', atMs: 0 };
const denied: Decision = { ...allowed, allowed: false, remaining: 0, retryAfterMs: 900, reason: 'limited' };
const blocked: Decision = { ...denied, limit: 0, rule: null, reason: 'blocked', resetMs: null, retryAfterMs: null };
const login: NamedLimit = { name: 'login', algorithm: 'fixed-window', limit: 5, windowMs: 60_000 };

describe('rateLimitHeaders', () => {
  it('says limit, what is left and when, in whole seconds rounded up', () => {
    assert.deepEqual(rateLimitHeaders(allowed, [login]), {
      'RateLimit-Policy': '"login";q=5;w=60',
      RateLimit: '"login";r=4;t=60',
      'X-RateLimit-Limit': '5',
      'X-RateLimit-Remaining': '4',
      'X-RateLimit-Reset': '60',
    });
  });

  it('says of a denial how long to wait, never 0 and never too short (T20)', () => {
    for (const [retryAfterMs, wait] of [[1900, '2'], [900, '1'], [200, '1'], [1, '1'], [1000, '1'], [1001, '2']] as const) {
      const headers = rateLimitHeaders({ ...denied, retryAfterMs }, [login]);
      assert.deepEqual([headers['Retry-After'], headers.RateLimit, headers['X-RateLimit-Reset']], [wait, `"login";r=0;t=${wait}`, wait]);
    }
  });

  it('names every rule, a concurrency rule by its unit', () => {
    const held: NamedLimit = { name: 'jobs', algorithm: 'concurrency', limit: 2, leaseMs: 1000 };
    assert.equal(rateLimitHeaders(allowed, [login, held])['RateLimit-Policy'], '"login";q=5;w=60, "jobs";q=2;qu="concurrent-requests"');
  });

  it('takes declared rules in full, as limits resolve them', async () => {
    const tallystick = createTallystick({ store: memoryStore(), limits: { burst: { algorithm: 'token-bucket', limit: 10, windowMs: 1500 } } });
    const rules = tallystick.limits.resolve(['burst', login]);
    assert.deepEqual(rules, [{ name: 'burst', algorithm: 'token-bucket', limit: 10, windowMs: 1500, burst: 10 }, { ...login, align: 'first' }]);
    assert.equal(rateLimitHeaders(allowed, rules)['RateLimit-Policy'], '"burst";q=10;w=2, "login";q=5;w=60');
    assert.throws(() => tallystick.limits.resolve('other'), { code: 'INVALID_ARGUMENT', field: 'rules' });
    await tallystick.close();
  });

  it('says nothing of time or rule where there is none', () => {
    assert.deepEqual(rateLimitHeaders(blocked, []), { 'X-RateLimit-Limit': '0', 'X-RateLimit-Remaining': '0' });
  });

  it('is a structured field whatever a rule is called and however large its figures are', () => {
    const field = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*";r=\d{1,15}(?:;t=\d{1,15})?$/;
    const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('\ud800'));
    fc.assert(fc.property(texts, fc.maxSafeNat(), (rule, remaining) => field.test(rateLimitHeaders({ ...allowed, rule, remaining }, []).RateLimit as string)));
    assert.equal(rateLimitHeaders({ ...allowed, rule: 'a"\\é\n' }, []).RateLimit, '"a\\"\\\\%C3%A9%0A";r=4;t=60');
  });
});

describe('rateLimitProblem', () => {
  it('names the rule that denied and the wait', () => {
    const { type, status, detail, 'violated-policies': violated, retryAfterMs } = rateLimitProblem(denied);
    assert.deepEqual({ type, status, detail, violated, retryAfterMs }, {
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded', status: 429,
      detail: 'The limit login of 5 is reached. Try again in 1 s.', violated: ['login'], retryAfterMs: 900,
    });
  });

  it('tells a block from a limit', () => {
    const { type, title, detail, 'violated-policies': violated } = rateLimitProblem(blocked);
    assert.deepEqual([type, title, detail, violated], ['about:blank', 'Too Many Requests', 'Requests are blocked. Waiting does not help.', []]);
  });
});
