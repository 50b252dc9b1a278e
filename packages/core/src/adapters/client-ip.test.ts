import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ipSubject } from './client-ip.ts';

describe('ipSubject', () => {
  it('keeps IPv4 addresses and cuts IPv6 addresses to their prefix (K07)', () => {
    for (const [ip, bits, subject] of [
      ['203.0.113.7', 64, '203.0.113.7'],
      ['::ffff:203.0.113.7', 64, '203.0.113.7'],
      ['2001:db8:1:2:3:4:5:6', 64, '2001:db8:1:2::/64'],
      ['2001:DB8:1:2::9%eth0', 64, '2001:db8:1:2::/64'],
      ['2001:db8:1:23ff::1', 56, '2001:db8:1:2300::/56'],
      ['::1', 128, '::1/128'],
      ['ffff::', 1, '8000::/1'],
    ] as const) assert.equal(ipSubject(ip, bits), subject);
  });

  it('names two addresses alike exactly when their first bits are the same', () => {
    const bitsOf = (groups: readonly number[]): string => groups.map((group) => group.toString(2).padStart(16, '0')).join('');
    const groups = fc.array(fc.integer({ min: 1, max: 0xffff }), { minLength: 8, maxLength: 8 });
    const text = (of: readonly number[]): string => of.map((group) => group.toString(16)).join(':');
    fc.assert(fc.property(groups, fc.nat(127), fc.integer({ min: 1, max: 128 }), (a, at, bits) => {
      const b = a.map((group, i) => (i === at >> 4 ? group ^ (1 << (at & 15)) : group));
      assert.equal(ipSubject(text(a), bits) === ipSubject(text(b), bits), bitsOf(a).slice(0, bits) === bitsOf(b).slice(0, bits));
    }));
  });

  it('refuses what is no address (K11)', () => {
    for (const ip of [undefined, null, '', 'localhost', '1.2.3', '[::1]', {}, 7]) assert.throws(() => ipSubject(ip, 64), { code: 'INVALID_ARGUMENT', field: 'ip' });
  });
});
