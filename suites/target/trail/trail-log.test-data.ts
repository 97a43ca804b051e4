import type { HeaderField } from '../../../contract/verdict.ts';
import type { Key } from '../../oracle/index.ts';
import { listInventory } from '../http/operations.ts';
import type { LoggedRequest } from './trail-log.ts';

interface LoggedSample {
  readonly request?: LoggedRequest['request'];
  readonly at?: number;
  /** 1 ms later by default. */
  readonly endedAt?: number;
  /** `null` without a response. */
  readonly status?: number | null;
  readonly headers?: readonly HeaderField[];
}

/** A list that was granted, but for what is said of it, as a log keeps it. */
export function loggedRequest(
  { label, secret }: Pick<Key, 'label' | 'secret'>,
  { request = listInventory(), at = 0, endedAt = at + 1, status = 200, headers = [] }: LoggedSample = {},
): LoggedRequest {
  return {
    do: 'send',
    at,
    request,
    authorization: [`Bearer ${secret}`],
    key: label,
    endedAt,
    response: status === null ? null : { status, headers, body: Buffer.alloc(0), exchange: null },
    isRepeated: false,
  };
}
