import { isIP } from 'node:net';

/** What tells where a request comes from, and whom it was meant for. */
export interface Provenance {
  /** Authority that the request names: its Host field, or that of a target in absolute form. */
  readonly authority: string | undefined;
  readonly origin: string | undefined;
  /** The Sec-Fetch-Site field, which browsers send. */
  readonly fetchSite: string | undefined;
}

/**
 * Why a port that is meant for this machine alone must not answer a request; `undefined` where it may.
 * A page of the web reaches such a port through the browser of its user: across origins, or under a name of its own
 * that it has resolved to this machine (DNS rebinding).
 */
export function foreignness({ authority, origin, fetchSite }: Provenance): 'host' | 'origin' | undefined {
  if (authority !== undefined && !isLoopback(authority)) {
    return 'host';
  }
  const isOwnOrigin = origin === undefined || origin.toLowerCase() === `http://${authority}`.toLowerCase();
  const isOwnSite = fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none';
  return isOwnOrigin && isOwnSite ? undefined : 'origin';
}

/** Whether the host of an authority is this machine, whatever the port; a container may publish it under another. */
function isLoopback(authority: string): boolean {
  const [, host = ''] = /^(\[[\da-f:.]+\]|[^:]*)(?::\d*)?$/i.exec(authority) ?? [];
  const name = host.toLowerCase();
  return (
    name === '[::1]' ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    (isIP(name) === 4 && name.startsWith('127.'))
  );
}
