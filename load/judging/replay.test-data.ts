import * as fc from 'fast-check';

import { seededRandom } from '../../contract/seeded-random.ts';
import { rateLimitFields } from '../../suites/oracle/exchange.test-data.ts';
import {
  anyPermittedLimiter,
  createLimiter,
  type PermittedLimiter,
} from '../../suites/oracle/limits/permitted-limiters.test-data.ts';
import { createTargetClient, type TargetClient } from '../../suites/target/index.ts';
import { TIMEOUT, type LoadRequest } from '../engine/load-request.ts';
import { rawHeadersOf, sampleResponse } from '../engine/engine.test-data.ts';
import type { ResponseMonitor } from './response-monitor.ts';

/** One request on the network: sent, decided and answered; milliseconds of the client. */
export interface ModelledRequest {
  readonly sentAt: number;
  readonly decidedAt: number;
  readonly receivedAt: number;
  /** What becomes of it if the limit grants it. */
  readonly fate: 'accepted' | 'not found' | 'lost';
}

/** How requests follow one another. */
interface Pace {
  readonly seed: number;
  /** Requests under way at once. */
  readonly lanes: number;
  /** How long it takes to send and answer them all, roughly. */
  readonly seconds: number;
  /** How much one differs from another, from 0 for not at all to 1. */
  readonly jitter: number;
  /** A pause after that share of the requests. */
  readonly pause: { readonly after: number; readonly seconds: number };
  /** Share of the requests that are answered 404, and of those whose response is lost. */
  readonly notFound: number;
  readonly lost: number;
}

/** Sends that many requests from a moment on, in milliseconds; each takes its own time, and is decided within it. */
export function fly(pace: Pace, count: number, from: number): readonly ModelledRequest[] {
  const random = seededRandom(pace.seed);
  const lanes = Array.from({ length: pace.lanes }, () => from);
  const usual = (pace.seconds * 1000 * pace.lanes) / Math.max(1, count);
  const pauseAt = Math.floor(count * pace.pause.after);
  return Array.from({ length: count }, (_, index) => {
    if (index === pauseAt) {
      const resumed = Math.max(...lanes) + pace.pause.seconds * 1000;
      lanes.fill(resumed);
    }
    const sentAt = Math.min(...lanes);
    const took = usual * (1 + pace.jitter * (2 * random() - 1));
    const decidedAt = sentAt + took * random();
    const receivedAt = sentAt + took;
    lanes[lanes.indexOf(sentAt)] = receivedAt;
    const draw = random();
    const fate = draw < pace.notFound ? 'not found' : draw < pace.notFound + pace.lost ? 'lost' : 'accepted';
    return { sentAt, decidedAt, receivedAt, fate };
  });
}

/** A pace, for windows of a length. */
type AnyPace = (windowSeconds: number) => Pace;

/** Any pace whose requests take up to so many windows, half of that in a pause. */
export function anyPace(windows: number, mishaps: boolean): fc.Arbitrary<AnyPace> {
  const most = windows / 2;
  const share = fc.oneof(
    // Short ones as often as long ones, and those that barely outlast a window.
    fc.double({ min: -5, max: 0, noNaN: true }).map((exponent) => most * 10 ** exponent),
    fc.double({ min: Math.min(most, 0.8), max: Math.min(most, 1.2), noNaN: true }),
  );
  return fc
    .record({
      seed: fc.integer(),
      lanes: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 28 })),
      seconds: share,
      jitter: fc.constantFrom(0, 0.2, 1),
      after: fc.oneof(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0.8, max: 1, noNaN: true }),
      ),
      rest: fc.oneof(fc.constant(0), share),
      notFound: mishaps ? fc.constantFrom(0, 0, 0.05, 0.4) : fc.constant(0),
      lost: mishaps ? fc.constantFrom(0, 0, 0.02, 0.2) : fc.constant(0),
    })
    .map(({ seconds, after, rest, ...pace }) => (windowSeconds) => ({
      ...pace,
      seconds: seconds * windowSeconds,
      pause: { after, seconds: rest * windowSeconds },
    }));
}

/** Requests sent beyond the limit; often one alone, which makes the least difference. */
export const anyExcess = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 8 }));

/** A limiter that keeps its limit in some permitted way, and bans nobody; no day is used up. */
export const anyMinuteLimiter: fc.Arbitrary<PermittedLimiter> = fc
  .tuple(anyPermittedLimiter, fc.constantFrom(1, 2, 3, 7, 20, 60, 300))
  .map(([limiter, perMinute]) =>
    Object.assign({}, limiter, {
      limits: { perMinute, perDay: AMPLE_PER_DAY },
      describesLate: false,
      ban: null,
    }),
  );

/** Requests a day, more than any load makes. */
export const AMPLE_PER_DAY = 50_000_000;

/** A client of which nothing is known, and that sends nothing. */
export function idleClient(): TargetClient {
  const { signal } = new AbortController();
  return createTargetClient({ origin: 'http://127.0.0.1:1', basePath: '/v1', headers: [] }, { signal });
}

/**
 * Tells monitors what a limiter answers to flights of one request, in the order in which it happens.
 * @param monitorOf the monitor that the n-th flight is told to
 */
export function replay(
  limiter: PermittedLimiter,
  flights: readonly ModelledRequest[],
  request: LoadRequest,
  monitorOf: (index: number) => ResponseMonitor,
): void {
  const decide = createLimiter(limiter, 0);
  const decisions = new Map(
    flights
      .toSorted((a, b) => a.decidedAt - b.decidedAt)
      .map((flight) => [flight, decide(flight.decidedAt / 1000, flight.fate !== 'not found')]),
  );
  const departures = new Map<ModelledRequest, number>();
  const events = flights.flatMap((flight, index) => [
    { at: flight.sentAt, index, flight, isLeaving: true },
    { at: flight.receivedAt, index, flight, isLeaving: false },
  ]);
  for (const { index, flight, isLeaving } of events.toSorted(
    (a, b) => a.at - b.at || Number(a.isLeaving) - Number(b.isLeaving) || a.index - b.index,
  )) {
    const { sentAt, receivedAt } = flight;
    const monitor = monitorOf(index);
    const departure = departures.get(flight) ?? 0;
    const decision = decisions.get(flight);
    if (isLeaving) {
      departures.set(flight, monitor.leaving(request, sentAt));
    } else if (decision === undefined || flight.fate === 'lost') {
      monitor.loss({ request, departure, dueAt: sentAt, sentAt, givenUpAt: receivedAt, cause: TIMEOUT });
    } else {
      const { outcome, limit, remaining, reset } = decision;
      const status = outcome === 'limited' ? 429 : flight.fate === 'not found' ? 404 : 200;
      const rawHeaders = rawHeadersOf(rateLimitFields(limit, remaining, reset));
      const times = { dueAt: sentAt, sentAt, answeredAt: receivedAt };
      monitor.response(sampleResponse({ request, departure, status, rawHeaders, ...times }));
    }
  }
}
