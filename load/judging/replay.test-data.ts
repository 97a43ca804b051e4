import * as fc from 'fast-check';

import {
  anyPermittedLimiter,
  type PermittedLimiter,
} from '../../suites/oracle/limits/permitted-limiters.test-data.ts';
import { anyClients, play, type PlayedClient } from '../../suites/oracle/limits/played-history.test-data.ts';
import { createTargetClient, type TargetClient, updateInventory } from '../../suites/target/index.ts';
import { rawHeadersOf, sampleKey, sampleRequest, sampleResponse } from '../engine/engine.test-data.ts';
import { TIMEOUT, type LoadRequest } from '../engine/load-request.ts';
import { keyed } from '../measuring/load-mix.ts';
import type { ResponseMonitor } from './response-monitor.ts';

/** Requests a day, more than any load makes. */
const AMPLE_PER_DAY = 50_000_000;

/** The limits of a key of which no day is used up. */
function minuteOf(perMinute: number): PermittedLimiter['limits'] {
  return { perMinute, perDay: AMPLE_PER_DAY };
}

/** A limiter that keeps its limit in some permitted way, and bans nobody; no day is used up. */
export const anyMinuteLimiter: fc.Arbitrary<PermittedLimiter> = fc
  .tuple(anyPermittedLimiter, fc.constantFrom(1, 2, 3, 7, 20, 60))
  .map(([limiter, perMinute]) =>
    Object.assign({}, limiter, { limits: minuteOf(perMinute), describesLate: false, ban: null }),
  );

/** What a client does with a key that nobody has used, and what chance does to it. */
export interface LoadTraffic {
  readonly client: PlayedClient;
  readonly seed: number;
}

export const anyTraffic: fc.Arbitrary<LoadTraffic> = fc
  .tuple(anyClients, fc.integer())
  .map(([[client], seed]) => ({ client: { steps: [], ...client, usedToday: 0 }, seed }));

/** A client of which nothing is known, and that sends nothing. */
export function idleClient(): TargetClient {
  const { signal } = new AbortController();
  return createTargetClient({ origin: 'http://127.0.0.1:1', basePath: '/v1', headers: [] }, { signal });
}

// No two events at the same moment, since of those nobody knows which came first.
const APART_MILLISECONDS = 1e-6;

/** What a key sends: what is granted if its limit allows it, and what is then answered 404. */
export type GoodAndBad = readonly [good: LoadRequest, bad: LoadRequest];

export function goodAndBad(perMinute: number): GoodAndBad {
  const key = sampleKey({ limits: minuteOf(perMinute) });
  return [sampleRequest(key), keyed(updateInventory(404n, 1), key)];
}

/**
 * Tells monitors what a limiter answers to traffic, in the order in which it happens.
 * @param monitorOf the monitor that the n-th request is told to
 */
export function replay(
  limiter: PermittedLimiter,
  { client, seed }: LoadTraffic,
  [good, bad]: GoodAndBad,
  monitorOf: (index: number) => ResponseMonitor,
): void {
  const sent = new Map<
    number,
    { monitor: ResponseMonitor; request: LoadRequest; departure: number; sentAt: number }
  >();
  let events = 0;
  play(limiter, [client], seed, (event) => {
    events += 1;
    const moment = (at: number): number => at + events * APART_MILLISECONDS;
    if (event.type === 'request-sent') {
      const monitor = monitorOf(sent.size);
      const request = event.request.path === good.message.path ? good : bad;
      const sentAt = moment(event.at);
      sent.set(event.id, { monitor, request, departure: monitor.leaving(request, sentAt), sentAt });
    } else if (event.type === 'response-received' || event.type === 'response-lost') {
      const its = sent.get(event.id);
      if (its === undefined) {
        throw new Error('What was not sent is not answered');
      }
      const { monitor, ...request } = its;
      const times = { ...request, dueAt: request.sentAt };
      if (event.type === 'response-lost') {
        monitor.loss({ ...times, givenUpAt: moment(event.at), cause: TIMEOUT });
      } else {
        const { response, receivedAt } = event.exchange;
        const limits = response.headers.filter(([name]) => name.startsWith('X-RateLimit-'));
        const rawHeaders = rawHeadersOf(limits);
        monitor.response(
          sampleResponse({ ...times, status: response.status, rawHeaders, answeredAt: moment(receivedAt) }),
        );
      }
    }
  });
}
