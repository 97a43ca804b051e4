import { percentDecoded } from '../../oracle/index.ts';
/** Where a redirect of `GET /inventory` leads: to the same list, to that of another base address, or elsewhere. */
export type ListRedirect =
  | { readonly kind: 'same list'; readonly target: string }
  | { readonly kind: 'other base'; readonly base: string }
  | { readonly kind: 'elsewhere'; readonly target: string }
  | { readonly kind: 'nowhere' };

/**
 * Reads the Location of a redirect (RFC 9110, section 10.2.2).
 * @param listUrl the URL that was asked for, which ends in /inventory
 */
export function readListRedirect(listUrl: string, location: string | undefined): ListRedirect {
  const target =
    location === undefined || !URL.canParse(location, listUrl) ? null : new URL(location, listUrl);
  if (target === null) {
    return { kind: 'nowhere' };
  }
  const asked = new URL(listUrl);
  if (target.origin === asked.origin && plainPath(target) === plainPath(asked)) {
    return { kind: 'same list', target: target.pathname + target.search };
  }
  const base = /^(.*)\/inventory\/?$/.exec(target.pathname)?.[1];
  return base === undefined
    ? { kind: 'elsewhere', target: target.origin + target.pathname }
    : { kind: 'other base', base: target.origin + base };
}

/** The path without what servers take for mere spelling: slashes too many, letter-case, percent-encoding. */
function plainPath({ pathname }: URL): string {
  return percentDecoded(pathname)
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .toLowerCase();
}
