import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAddress, isLoopback, parseAddress } from './address.ts';

describe('addresses', () => {
  it('are read as host and port, and written as they were', () => {
    for (const text of ['127.0.0.1:7070', 'localhost:0', '0.0.0.0:65535', '[::1]:7070', 'node-1.example:80']) {
      const address = parseAddress(text);
      assert.ok(address, text);
      assert.equal(formatAddress(address), text);
    }
    assert.deepEqual(parseAddress('[::1]:7070'), { host: '::1', port: 7070 });
  });

  it('are refused without a host, without a port, or with one out of range', () => {
    for (const text of ['', ':7070', '127.0.0.1', '127.0.0.1:', 'a:65536', 'a:-1', 'a:1e3', '::1:7070', 'http://a:1', 'a b:1', '[a]:1']) {
      assert.equal(parseAddress(text), undefined, text);
    }
  });

  it('are known to be of this machine alone, or not', () => {
    const loopback = (text: string): boolean => isLoopback(parseAddress(text)!);
    assert.deepEqual(['127.0.0.1:1', '127.8.9.1:1', 'localhost:1', '[::1]:1'].map(loopback), [true, true, true, true]);
    assert.deepEqual(['0.0.0.0:1', '[::]:1', '10.0.0.1:1', '127.0.0.1.example:1'].map(loopback), [false, false, false, false]);
  });
});
