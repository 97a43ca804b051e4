import { BlockList, isIPv4, isIPv6 } from 'node:net';

import { headerOf, type Service, type ServiceRequest, type ServiceResponse } from '../service/messages.ts';

/**
 * Lets through to the control contract only what was meant for it: requests to this machine by one of its own names,
 * from no page of another origin, with JSON if there is a body.
 */
export function guardControl(control: Service): Service {
  return { ...control, respond: (request) => refusalOf(request, control) ?? control.respond(request) };
}

function refusalOf(request: ServiceRequest, { refuse }: Service): ServiceResponse | undefined {
  const foreign = foreignness(request);
  if (foreign === 'host') {
    return refuse({
      status: 421,
      code: 'foreign_host',
      message:
        'The control contract answers under localhost and private IP addresses only, not under other names.',
    });
  }
  if (foreign === 'origin') {
    return refuse({
      status: 403,
      code: 'foreign_origin',
      message: 'The control contract answers no page of another origin.',
    });
  }
  return hasBody(request) && !isJson(headerOf(request, 'content-type'))
    ? refuse({
        status: 415,
        code: 'unsupported_media_type',
        message: 'The control contract takes bodies of Content-Type application/json.',
      })
    : undefined;
}

function hasBody(request: ServiceRequest): boolean {
  return (
    Number(headerOf(request, 'content-length') ?? 0) > 0 ||
    headerOf(request, 'transfer-encoding') !== undefined
  );
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

/** Loopback (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3), and private networks (RFC 1918, RFC 4193). */
const ADDRESSES_HERE = new BlockList();
ADDRESSES_HERE.addSubnet('127.0.0.0', 8, 'ipv4');
ADDRESSES_HERE.addSubnet('10.0.0.0', 8, 'ipv4');
ADDRESSES_HERE.addSubnet('172.16.0.0', 12, 'ipv4');
ADDRESSES_HERE.addSubnet('192.168.0.0', 16, 'ipv4');
ADDRESSES_HERE.addAddress('::1', 'ipv6');
ADDRESSES_HERE.addSubnet('fc00::', 7, 'ipv6');

/**
 * Why a port that is meant for this machine alone must not answer a request; `undefined` if it may.
 * A page of the web reaches such a port through the browser of its user: across origins, or under a name of its own
 * that it has resolved to this machine (DNS rebinding).
 */
function foreignness(request: ServiceRequest): 'host' | 'origin' | undefined {
  const [, named] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(request.target) ?? [];
  const authority = named ?? headerOf(request, 'host');
  const origin = headerOf(request, 'origin');
  const fetchSite = headerOf(request, 'sec-fetch-site');
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
