import type { LoadTarget } from '../../load/index.ts';

const TIMEOUT_MILLISECONDS = 10_000;

/** What the engines connect to, and the path after its origin. */
export function targetAt(url: string): { readonly target: LoadTarget; readonly path: string } {
  const { origin, pathname } = new URL(url);
  return {
    target: {
      origin,
      basePath: '',
      headers: [],
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
      insecure: false,
      certificateAuthority: null,
    },
    path: pathname,
  };
}
