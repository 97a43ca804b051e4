import type { HeaderField } from '../../contract/verdict.ts';
import { scriptedTarget, type TargetChange } from '../verify/scripted/scripted-target.test-data.ts';
import type { TrafficFindings } from './judge-recordings.ts';
import type { RecordedTraffic } from './traffic/har.ts';
import type { TrafficExchange } from './traffic/traffic-exchange.ts';

export const BASE = 'https://pets.example/v1';

const JSON_BODY: HeaderField = ['Content-Type', 'application/json'];

export type Sent = readonly [secret: string | null, method: string, path: string, body?: string];

/** What a target answers to requests that follow one another. @param every so many seconds */
export async function record(
  requests: readonly Sent[],
  {
    alter,
    skew = 0,
    every = 0.1,
  }: { readonly alter?: TargetChange; readonly skew?: number; readonly every?: number } = {},
): Promise<readonly TrafficExchange[]> {
  const target = scriptedTarget(alter);
  const key = await target.control.issueKey({ plan: 'free' });
  const exchanges: TrafficExchange[] = [];
  for (const [secret, method, path, body = null] of requests) {
    await target.control.advance(every);
    const headers: readonly HeaderField[] =
      secret === null ? [] : [['Authorization', `Bearer ${secret === 'good' ? key : secret}`], JSON_BODY];
    const sentAt = (target.world.now + skew) * 1000;
    const {
      status,
      headers: fields,
      body: text,
    } = target.answer({
      method,
      path: `/v1${path}`,
      headers,
      body,
    });
    exchanges.push({
      request: { method, url: `${BASE}${path}`, headers, body, sentAt },
      response: { status, headers: fields, body: Buffer.from(text) },
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
export const whole = (exchanges: readonly TrafficExchange[]): RecordedTraffic => ({
  exchanges,
  unreadable: [],
});

export const failedIn = ({ judgements }: TrafficFindings) =>
  judgements.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
