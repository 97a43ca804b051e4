import { answer, type Flight, type LimiterModel } from '../../suites/oracle/limiter-models.test-data.ts';
import { TIMEOUT, type LoadRequest } from '../engine/load-request.ts';
import { rawHeadersOf, sampleResponse } from '../engine/load-request.test-data.ts';
import { readQuickHeaders } from '../engine/quick-headers.ts';
import type { RemainingLedger } from './remaining-ledger.ts';

/**
 * Tells ledgers what a limiter answers to flights of one request, in the order in which the answers come.
 * @param ledgerOf the ledger that the n-th flight is entered in
 */
export function replay(
  model: LimiterModel,
  flights: readonly Flight[],
  request: LoadRequest,
  ledgerOf: (index: number) => RemainingLedger,
): void {
  const answers = answer(model, flights);
  const events = flights.map((flight, index) => ({
    flight,
    exchange: answers[index],
    ledger: ledgerOf(index),
  }));
  for (const { flight, exchange, ledger } of events.toSorted(
    (a, b) => a.flight.receivedAt - b.flight.receivedAt,
  )) {
    const { sentAt, receivedAt } = flight;
    if (exchange === undefined) {
      ledger.loss({ request, dueAt: sentAt, sentAt, givenUpAt: receivedAt, cause: TIMEOUT });
    } else {
      const { status, headers } = exchange.response;
      const rawHeaders = rawHeadersOf(headers);
      const times = { dueAt: sentAt, sentAt, answeredAt: receivedAt };
      ledger.response(
        sampleResponse({ request, status, rawHeaders, ...times }),
        readQuickHeaders(rawHeaders),
      );
    }
  }
}
