/** Where to listen: `host:port`. */
import { isIPv6 } from 'node:net';
const ADDRESS = /^(?:\[(.+)\]|([^\s:[\]]+)):(\d{1,5})$/;
const MAX_PORT = 65_535;
/** The address written as `text`; undefined when it is none. */
export function parseAddress(text) {
    const [, ipv6, name, digits] = ADDRESS.exec(text) ?? [];
    const host = ipv6 ?? name;
    const port = Number(digits);
    if (host === undefined || port > MAX_PORT || (ipv6 !== undefined && !isIPv6(ipv6)))
        return undefined;
    return { host, port };
}
/** `address` as it is written. */
export const formatAddress = ({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
/** Whether only this machine can reach `address`. */
export const isLoopback = ({ host }) => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
//# sourceMappingURL=address.js.map