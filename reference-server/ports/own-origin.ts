import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Loopback (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3), and private networks (RFC 1918, RFC 4193). */
const ADDRESSES_HERE = new BlockList();
ADDRESSES_HERE.addSubnet('127.0.0.0', 8, 'ipv4');
ADDRESSES_HERE.addSubnet('10.0.0.0', 8, 'ipv4');
ADDRESSES_HERE.addSubnet('172.16.0.0', 12, 'ipv4');
ADDRESSES_HERE.addSubnet('192.168.0.0', 16, 'ipv4');
ADDRESSES_HERE.addAddress('::1', 'ipv6');
ADDRESSES_HERE.addSubnet('fc00::', 7, 'ipv6');

/** Where a request comes from, and whom it was meant for. */
export interface Provenance {
  /** Authority that the request names: its Host field, or that of a target in absolute form. */
  readonly authority: string | undefined;
  readonly origin: string | undefined;
  /** The Sec-Fetch-Site field, which browsers send. */
  readonly fetchSite: string | undefined;
}

/**
 * Why a port that is meant for this machine alone must not answer a request; `undefined` if it may.
 * A page of the web reaches such a port through the browser of its user: across origins, or under a name of its own
 * that it has resolved to this machine (DNS rebinding).
 */
export function foreignness({ authority, origin, fetchSite }: Provenance): 'host' | 'origin' | undefined {
  if (authority !== undefined && !isOwnHost(authority)) {
    return 'host';
  }
  const isOwnOrigin = origin === undefined || origin.toLowerCase() === `http://${authority}`.toLowerCase();
  const isOwnSite = fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none';
  return isOwnOrigin && isOwnSite ? undefined : 'origin';
}

/**
 * Whether the host of an authority may be this machine, whatever the port: a container may publish it under another
 * port, and under another address. No name of somebody else's can be resolved to an address that is named itself.
 */
function isOwnHost(authority: string): boolean {
  const [, host = ''] = /^(\[[\da-f:.]+\]|[^:]*)(?::\d*)?$/i.exec(authority) ?? [];
  const name = host.toLowerCase();
  const address = name.replace(/^\[(.*)\]$/, '$1');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    (isIPv4(address) && ADDRESSES_HERE.check(address, 'ipv4')) ||
    (isIPv6(address) && ADDRESSES_HERE.check(address, 'ipv6'))
  );
}
