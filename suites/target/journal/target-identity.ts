const UNRESERVED = /^[A-Za-z0-9._~-]$/;

/** Names of the machine itself. `0.0.0.0` and `[::]` lead there on systems that connect to them at all. */
const THIS_MACHINE =
  /^(?:localhost|[^.]+[.]localhost|127[.]0[.]0[.]1|0[.]0[.]0[.]0|\[::1?\]|\[::ffff:7f00:1\])[.]?$/;

/**
 * The address of a service as one spelling: without regard to letter-case of scheme and host, a default port, a slash
 * at the end, or escapes that are not needed (RFC 3986, section 6.2). Credentials, query and fragment do not count.
 */
export function canonicalAddress(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const path = pathname
    .replace(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
      return UNRESERVED.test(character) ? character : escape.toUpperCase();
    })
    .replace(/\/$/, '');
  return `${protocol}//${hostname.replace(/[.]$/, '')}${port === '' ? '' : `:${port}`}${path}`;
}

/**
 * The same for the address of all that may be one service: `localhost`, `127.0.0.1` and `[::1]` usually are, but two
 * servers may share a port between them.
 */
export function possibleIdentity(url: string): string {
  const canonical = new URL(canonicalAddress(url));
  if (THIS_MACHINE.test(canonical.hostname)) {
    canonical.hostname = '127.0.0.1';
  }
  return canonicalAddress(canonical.href);
}
