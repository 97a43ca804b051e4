import type { LoadRequest, LoadTarget } from '../../load/index.ts';
import { newUsage, type Key } from '../../suites/oracle/index.ts';
import { PER_DAY, PER_MINUTE } from '../servers/protocol.ts';

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

/** A request for the list. @param key `null` for one whose limits are not followed */
export function requestForList(path: string, key: Key | null, authorization: readonly string[]): LoadRequest {
  const message = { operation: 'listInventory', method: 'GET', path, headers: [], body: null } as const;
  return { message, key, authorization, operation: 'GET /inventory' };
}

/** A new key, which has all of its limits left. */
export function newBenchKey(label: string): Key {
  const limits = { perMinute: PER_MINUTE, perDay: PER_DAY };
  return {
    label,
    secret: label,
    plan: 'enterprise',
    limits,
    issued: true,
    usedToday: 0,
    usage: newUsage(),
  };
}
