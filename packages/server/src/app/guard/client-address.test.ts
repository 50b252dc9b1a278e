import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { clientAddress, parseNetwork, type Network } from './client-address.ts';

const networks = (...texts: string[]): Network[] => texts.map((text) => parseNetwork(text) ?? assert.fail(text));
const trusting = { trustedProxies: networks('10.0.0.0/8', '2001:db8:ffff::1'), ipv6PrefixBits: 64 };
const trustless = { trustedProxies: [], ipv6PrefixBits: 64 };

describe('the address of a client', () => {
  it('K10 is the nearest one that trusted proxies vouch for, whatever stands left of it', () => {
    for (let i = 0; i < 100; i++) assert.equal(clientAddress({ address: '10.0.0.1', forwardedFor: `198.51.100.${i}, 203.0.113.7` }, trusting), '203.0.113.7');
    assert.equal(clientAddress({ address: '10.0.0.1', forwardedFor: '198.51.100.1, 203.0.113.7, 10.2.3.4' }, trusting), '203.0.113.7');
    assert.equal(clientAddress({ address: '::ffff:10.0.0.1', forwardedFor: '203.0.113.7:4711' }, trusting), '203.0.113.7');
    assert.equal(clientAddress({ address: '10.0.0.1', forwardedFor: '[2001:db8:1:2::3]:443' }, trusting), '2001:db8:1:2::/64');
  });

  it('K10 is that of the connection where the peer is not trusted, and where a hop is no address', () => {
    const forged = { address: '192.0.2.9', forwardedFor: '203.0.113.7' };
    assert.equal(clientAddress(forged, trusting), '192.0.2.9');
    assert.equal(clientAddress({ ...forged, address: '10.0.0.1' }, trustless), '10.0.0.1');
    for (const bad of ['unknown', '', '203.0.113', '0x7f.1', '1', '203.0.113.7 198.51.100.1', '999.1.1.1']) {
      assert.equal(clientAddress({ address: '10.0.0.1', forwardedFor: `203.0.113.7, ${bad}` }, trusting), '10.0.0.1', bad);
    }
  });

  it('K07 is one for all addresses of an IPv6 network, of the length that is set', () => {
    const rotating = Array.from({ length: 1000 }, (_, i) => clientAddress({ address: `2001:db8:1:2::${i.toString(16)}` }, trustless));
    assert.deepEqual([...new Set(rotating)], ['2001:db8:1:2::/64']);
    assert.equal(clientAddress({ address: '2001:db8:1:3::1' }, trustless), '2001:db8:1:3::/64');
    assert.equal(clientAddress({ address: '2001:db8:1:3::1' }, { ...trustless, ipv6PrefixBits: 56 }), '2001:db8:1::/56');
    assert.equal(clientAddress({ address: 'fe80::1%eth0' }, trustless), 'fe80::/64');
  });

  it('K11 is unknown where the connection is gone, and nothing takes its place', () => {
    assert.equal(clientAddress({ address: undefined, forwardedFor: '203.0.113.7' }, trusting), undefined);
  });

  it('never depends on what an untrusted peer writes', () => {
    fc.assert(fc.property(fc.string(), fc.ipV4(), (written, address) => clientAddress({ address, forwardedFor: written }, trustless) === address));
    fc.assert(fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (left) => {
      const forwardedFor = [...left, '203.0.113.7'].join(', ');
      return clientAddress({ address: '10.0.0.1', forwardedFor }, trusting) === '203.0.113.7';
    }));
  });
});

describe('a network', () => {
  it('is an address, or one with the bits that count', () => {
    for (const good of ['10.0.0.0/8', '10.1.2.3', '::1', '2001:db8::/32', '0.0.0.0/0']) assert.ok(parseNetwork(good), good);
    for (const bad of ['', '10.0.0.0/33', '10.0.0/8', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/a', 'localhost', '10']) {
      assert.equal(parseNetwork(bad), undefined, bad);
    }
  });
});
