import { fieldsOf } from '../../contract/field-names.ts';
import type { HeaderField } from '../../contract/verdict.ts';
import type { Alteration } from '../../reference-server/index.ts';
import { composeService } from '../../reference-server/alterations/alteration.ts';
import { createAlteredParts } from '../../reference-server/start.ts';
import type { judgeRecordings, TrafficExchange, TrafficFindings } from '../../suites/watch/index.ts';

export const BASE = 'https://pets.example/v1';

const JSON_BODY: HeaderField = ['Content-Type', 'application/json'];

export const KEY = 'key-of-the-free-plan';

export type Sent = readonly [secret: string | null, method: string, path: string, body?: string];

/** What a service in memory answers to requests that follow one another. @param every so many seconds */
export async function record(
  requests: readonly Sent[],
  {
    alterations = [],
    skew = 0,
    every = 0.1,
  }: { readonly alterations?: readonly Alteration[]; readonly skew?: number; readonly every?: number } = {},
): Promise<readonly TrafficExchange[]> {
  let now = 1_790_000_000;
  const options = { keys: [{ key: KEY, plan: 'free' }], ban: false } as const;
  const parts = createAlteredParts(options, { now: () => now }, alterations);
  const service = composeService(parts, alterations);
  const exchanges: TrafficExchange[] = [];
  for (const [secret, method, path, body = null] of requests) {
    now += every;
    const headers: readonly HeaderField[] =
      secret === null ? [] : [['Authorization', `Bearer ${secret === 'good' ? KEY : secret}`], JSON_BODY];
    const sentAt = (now + skew) * 1000;
    const response = await service.respond({
      method,
      target: `/v1${path}`,
      headers: headers.flat(),
      connection: { id: 1, remoteAddress: '127.0.0.1', drop: () => {} },
      readBody: () => Promise.resolve({ state: 'complete', bytes: Buffer.from(body ?? '') }),
    });
    exchanges.push({
      request: { method, url: `${BASE}${path}`, headers, body, sentAt },
      response: {
        status: response.status,
        headers: fieldsOf(response.headers),
        body: Buffer.from(response.body),
      },
      endedAt: sentAt + 5,
    });
  }
  return exchanges;
}

export const askForList: Sent = ['good', 'GET', '/inventory'];
export const setTo = (quantity: number): Sent => [
  'good',
  'PATCH',
  '/inventory/1',
  JSON.stringify({ quantity }),
];

/** A recording in which every entry could be read. */
export const whole = (
  exchanges: readonly TrafficExchange[],
): Parameters<typeof judgeRecordings>[0][number] => ({
  exchanges,
  unreadable: [],
});

export const failedIn = ({ judgements }: TrafficFindings) =>
  judgements.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
