import { createTargetClient, type TargetClient } from '../../suites/target/index.ts';
import {
  answer,
  type ModelFlight,
  type LimiterModel,
} from '../../suites/oracle/limits/limiter-models.test-data.ts';
import { TIMEOUT, type LoadRequest } from '../engine/load-request.ts';
import { rawHeadersOf, sampleResponse } from '../engine/load-request.test-data.ts';
import type { ResponseMonitor } from './response-monitor.ts';

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
  model: LimiterModel,
  flights: readonly ModelFlight[],
  request: LoadRequest,
  monitorOf: (index: number) => ResponseMonitor,
): void {
  const answers = answer(model, flights);
  const departures = new Map<ModelFlight, number>();
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
    const exchange = answers[index];
    if (isLeaving) {
      departures.set(flight, monitor.leaving(request, sentAt));
    } else if (exchange === undefined) {
      monitor.loss({ request, departure, dueAt: sentAt, sentAt, givenUpAt: receivedAt, cause: TIMEOUT });
    } else {
      const { status, headers } = exchange.response;
      const rawHeaders = rawHeadersOf(headers);
      const times = { dueAt: sentAt, sentAt, answeredAt: receivedAt };
      monitor.response(sampleResponse({ request, departure, status, rawHeaders, ...times }));
    }
  }
}
