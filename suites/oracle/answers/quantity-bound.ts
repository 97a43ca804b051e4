import { isAccepted, type Exchange, type RequestMessage } from '../exchange.ts';
import type { HistoryMonitor } from '../history-monitor.ts';
import { readRequest } from './permitted-answers.ts';
import { quantityAskedFor } from './request-effect.ts';

// Larger ones may be refused for the type that holds them, too.
const GREATEST_ORDINARY = 999n;
const OTHER_REFUSALS = new Set([401, 403, 404, 429]);

const MOST_PETS = 10_000;

/** Bounds of a quantity are not shown (specification, "Resources and their fields"); but within one, no quantity is refused. */
export const quantityBoundMonitor: HistoryMonitor = {
  id: 'quantity-bound',
  title: 'A quantity is accepted if a larger one is',
  judges: ['update-succeeds'],
  open: (context, report) => {
    // Of another one, a refusal may say something else than that its quantity is too large.
    const updatedPets = new Set<bigint>();
    let greatestAccepted = 0n;
    let leastRefused: {
      readonly quantity: bigint;
      readonly exchange: Exchange;
      readonly manner: string;
    } | null = null;
    return (event) => {
      const sent = event.type === 'response-received' ? context.requestOf(event.id) : undefined;
      if (
        event.type !== 'response-received' ||
        sent?.credential.kind !== 'valid' ||
        sent.request.method !== 'PATCH'
      ) {
        return;
      }
      const reading = readRequest(sent.request);
      const petId = reading.target.kind === 'documented' ? reading.target.petId : 'odd';
      // What comes beside it may be why it is refused.
      const isAlone = typeof reading.body === 'object' && reading.body.kind !== 'further';
      const quantity = reading.fields === 'plain' && isAlone ? quantityAskedFor(reading) : null;
      if (quantity === null || quantity < 0n || typeof petId !== 'bigint') {
        return;
      }
      const { exchange } = event;
      const { status } = exchange.response;
      if (isAccepted(exchange)) {
        greatestAccepted = quantity > greatestAccepted ? quantity : greatestAccepted;
        if (updatedPets.size < MOST_PETS) {
          updatedPets.add(petId);
        }
      } else if (
        status < 500 &&
        !OTHER_REFUSALS.has(status) &&
        !reading.refusals.includes(status) &&
        quantity <= GREATEST_ORDINARY &&
        updatedPets.has(petId)
      ) {
        leastRefused =
          leastRefused === null || quantity < leastRefused.quantity
            ? { quantity, exchange, manner: mannerOf(sent.request) }
            : leastRefused;
      }
      if (leastRefused !== null && leastRefused.quantity <= greatestAccepted) {
        const refused = `An update to ${leastRefused.quantity} was answered ${leastRefused.exchange.response.status}`;
        const message = `${refused}${leastRefused.manner}, though one to ${greatestAccepted} was accepted.`;
        report.judge('update-succeeds', false, () => message, leastRefused.exchange);
        leastRefused = null;
      }
    };
  },
};

/** What an update had that most have not, which may be why it was refused. */
function mannerOf({ headers, inParts }: RequestMessage): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const all = [
    ...(type === undefined || type === 'application/json' ? [] : [`Content-Type: ${type}`]),
    ...(inParts === true ? ['header section and body in several segments'] : []),
  ];
  return all.length === 0 ? '' : ` when it came with ${all.join(' and ')}`;
}
