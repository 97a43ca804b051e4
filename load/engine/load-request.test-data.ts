import type { HeaderField } from '../../contract/verdict.ts';
import { newUsage, type Key } from '../../suites/oracle/index.ts';
import { listInventory } from '../../suites/target/index.ts';
import type { LoadRequest, LoadResponse } from './load-request.ts';
import { keyed } from '../measuring/request-mix.ts';

/** A key that nobody has used, issued for a load. */
export function sampleKey(changes: Partial<Key> = {}): Key {
  return {
    label: 'enterprise#load1',
    secret: 'secret',
    plan: 'enterprise',
    limits: null,
    issued: true,
    usedToday: 0,
    usage: newUsage(),
    ...changes,
  };
}

/** A request for the list. */
export function sampleRequest(key: Key = sampleKey()): LoadRequest {
  return keyed(listInventory(), key);
}

/** A response 200 without fields or body to a request that took no time. */
export function sampleResponse(changes: Partial<LoadResponse> = {}): LoadResponse {
  const { sentAt = 0 } = changes;
  return {
    request: sampleRequest(),
    departure: 0,
    status: 200,
    rawHeaders: [],
    body: null,
    dueAt: sentAt,
    sentAt,
    answeredAt: sentAt,
    ...changes,
  };
}

/** Fields as they stand on the wire. */
export function rawHeadersOf(fields: readonly HeaderField[]): readonly string[] {
  return fields.flat();
}
