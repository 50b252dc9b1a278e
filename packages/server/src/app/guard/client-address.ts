/**
 * Who a request comes from, as far as limits go: the address of the connection or, where that is a trusted proxy, the
 * nearest address that the proxies vouch for. What stands further left in `X-Forwarded-For` was written by the client
 * and means nothing. An IPv6 client owns a whole network, so its address stands for that network.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a transport knows of the other end of a connection. */
export interface Peer {
  /** Of the connection; undefined when it is gone. */
  readonly address: string | undefined;
  /** The header field `X-Forwarded-For`, its lines joined by commas. */
  readonly forwardedFor?: string | undefined;
}

/** A network. */
export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number];

/** How addresses are read. */
export interface AddressOptions {
  /** Proxies that are believed. */
  readonly trustedProxies: readonly Network[];
  /** Bits of an IPv6 address that tell clients apart, 1 to 128. */
  readonly ipv6PrefixBits: number;
}

const IPV4_WITH_PORT = /^([\d.]+):\d+$/;
const IPV6_IN_BRACKETS = /^\[([^\]]+)\](?::\d+)?$/;

/** A hop as a proxy may write it, with or without a port; undefined when it is no address. */
function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [, bare = text] = IPV4_WITH_PORT.exec(text) ?? IPV6_IN_BRACKETS.exec(text) ?? [];
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare);
}

/** The network that `text` names, an address standing for itself; undefined when it names none. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', bits] = text.split('/', 2);
  const parsed = isIP(address) === 0 ? undefined : ipaddr.parse(address);
  if (parsed === undefined) return undefined;
  const most = parsed.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return text.includes('/') ? undefined : [parsed, most];
  return text.split('/').length === 2 && /^\d{1,3}$/.test(bits) && Number(bits) <= most ? [parsed, Number(bits)] : undefined;
}

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

/**
 * The address, or for IPv6 the network, that a request is charged to; undefined when the connection is gone. A hop that
 * is no address ends the walk at the connection itself: nobody can put himself into another's place by writing nonsense.
 */
export function clientAddress({ address, forwardedFor = '' }: Peer, { trustedProxies, ipv6PrefixBits }: AddressOptions): string | undefined {
  const peer = addressOf(address ?? '');
  if (peer === undefined) return undefined;
  let client = peer;
  const hops = forwardedFor === '' ? [] : forwardedFor.split(',');
  while (hops.length > 0 && trustedProxies.some((network) => isWithin(client, network))) {
    const next = addressOf((hops.pop() as string).trim());
    if (next === undefined) return nameOf(peer, ipv6PrefixBits);
    client = next;
  }
  return nameOf(client, ipv6PrefixBits);
}

function nameOf(address: ipaddr.IPv4 | ipaddr.IPv6, ipv6PrefixBits: number): string {
  if (address.kind() === 'ipv4') return address.toString();
  const network = ipaddr.fromByteArray(address.toByteArray());
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${network.toString()}/${ipv6PrefixBits}`).toString()}/${ipv6PrefixBits}`;
}
