/** Who a request comes from, as the subject of a limit. */
import { isIPv4, isIPv6 } from 'node:net';
import { unexpected } from '../model/check.ts';

/** Bits of an IPv6 address that name a subscriber; the rest is his to choose. */
export const IPV6_PREFIX_BITS = 64;

/** @throws TallystickError `INVALID_CONFIG`. */
export function checkPrefixBits(bits: unknown): number {
  if (Number.isSafeInteger(bits) && (bits as number) >= 1 && (bits as number) <= 128) return bits as number;
  throw unexpected('ipv6PrefixBits', 'an integer from 1 to 128', bits);
}

/** The eight groups of an IPv6 address; a URL writes every address in one way. */
function groupsOf(ip: string): number[] {
  const { hostname } = new URL(`http://[${ip}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const parse = (text: string | undefined): number[] => (text === undefined || text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [first, last] = [parse(head), parse(tail)];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

const isMapped = (groups: readonly number[]): boolean => groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;

function masked(groups: readonly number[], bits: number): number[] {
  return groups.map((group, i) => group & (0xffff << Math.max(0, Math.min(16, 16 * (i + 1) - bits))) & 0xffff);
}

/**
 * An IPv4 address as it is, an IPv6 address by its first `prefixBits`: `2001:db8:1:2::/64`.
 *
 * @throws TallystickError `INVALID_ARGUMENT`, when it is no address: whom nobody can name has no quota of his own.
 */
export function ipSubject(ip: unknown, prefixBits: number): string {
  const address = typeof ip === 'string' ? ip.replace(/%.*$/, '') : '';
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) throw unexpected('ip', 'an IP address of the request', ip, 'INVALID_ARGUMENT');
  const groups = groupsOf(address);
  if (isMapped(groups)) return [groups[6], groups[7]].flatMap((group = 0) => [group >> 8, group & 255]).join('.');
  const prefix = masked(groups, prefixBits).map((group) => group.toString(16)).join(':');
  return `${new URL(`http://[${prefix}]`).hostname.slice(1, -1)}/${prefixBits}`;
}
