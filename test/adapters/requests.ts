/** What every adapter must do, asked of the application of its example over HTTP. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

/** @param urlOf Where a fresh application listens. */
export function limitsRequests(urlOf: () => string): void {
  const get = (forwardedFor: string, path = '/api/articles'): Promise<Response> => fetch(`${urlOf()}${path}`, { headers: { 'X-Forwarded-For': forwardedFor } });
  const statuses = async (requests: readonly (() => Promise<Response>)[]): Promise<number[]> => {
    const seen = [];
    for (const request of requests) seen.push((await request()).status);
    return seen;
  };

  it('says what is left, and answers a denial with 429, the wait and problem details', async () => {
    const responses = [];
    for (let i = 0; i < 6; i++) responses.push(await get('198.51.100.1'));
    const [first, denied] = [responses[0] as Response, responses[5] as Response];
    assert.deepEqual(responses.map(({ status }) => status), [200, 200, 200, 200, 200, 429]);
    assert.deepEqual(await first.json(), ['one', 'two']);
    assert.equal(first.headers.get('ratelimit-policy'), '"api";q=5;w=60');
    assert.match(first.headers.get('ratelimit') ?? '', /^"api";r=4;t=\d+$/);
    assert.deepEqual([first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-remaining'), first.headers.get('retry-after')], ['5', '4', null]);
    assert.match(denied.headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.match(denied.headers.get('ratelimit') ?? '', /^"api";r=0;t=\d+$/);
    const wait = Number(denied.headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 66, String(wait));
    const problem = (await denied.json()) as Record<string, unknown>;
    assert.deepEqual([problem['status'], problem['violated-policies'], Math.ceil((problem['retryAfterMs'] as number) / 1000)], [429, ['api'], wait]);
  });

  it('takes an IPv6 client by his /64, and an IPv4-mapped address for the IPv4 address (K07)', async () => {
    const inOne = Array.from({ length: 20 }, (_, i) => () => get(`2001:db8:1:2::${(i + 1).toString(16)}`));
    assert.deepEqual((await statuses(inOne)).filter((status) => status === 200).length, 5);
    assert.equal((await get('2001:db8:1:3::1')).status, 200);
    await statuses(Array.from({ length: 5 }, () => () => get('198.51.100.7')));
    assert.equal((await get('::ffff:198.51.100.7')).status, 429);
  });

  it('believes the last hop that is trusted, and no address before it (K10)', async () => {
    const rotating = Array.from({ length: 20 }, (_, i) => () => get(`192.0.2.${i}, 203.0.113.7`));
    assert.equal((await statuses(rotating)).filter((status) => status === 200).length, 5);
    assert.equal((await get('203.0.113.7')).status, 429);
  });

  it('limits a route by its own rules and subject', async () => {
    const login = (user: string) => (): Promise<Response> => fetch(`${urlOf()}/login/${user}`, { method: 'POST' });
    const seen = await statuses([login('ann'), login('ann'), login('ann'), login('bob')]);
    assert.deepEqual(seen.map((status) => status === 429), [false, false, true, false]);
  });
}
