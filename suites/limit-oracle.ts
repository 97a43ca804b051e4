import { MINUTE_SECONDS } from '../contract/plans.ts';
import { isAccepted, rateLimitOf, type Exchange } from './exchange.ts';

/**
 * What a series of requests with one key shows of its limit.
 * `exact`: granted as many as the limit, then refused. `over` and `under`: granted more, or fewer. `unrefused`:
 * granted more than the limit and never refused. `uncertain`: answers that may or may not count leave both open.
 */
export type Admission =
  | { readonly kind: 'exact' }
  | {
      readonly kind: 'over' | 'unrefused';
      readonly granted: number;
      readonly proven: boolean;
      readonly witness: Exchange;
    }
  | { readonly kind: 'under'; readonly granted: number; readonly witness: Exchange }
  | { readonly kind: 'uncertain'; readonly reason: string };

export interface AdmissionSeries {
  /** Requests that the window grants. */
  readonly limit: number;
  /** Requests granted in the window before the series. */
  readonly alreadyGranted: number;
  /** In the order in which they were sent. */
  readonly exchanges: readonly Exchange[];
  /** Requests that may have counted although no response tells so. */
  readonly unanswered: number;
}

/**
 * Judges how many requests a window granted. A window that ended within the series could grant twice the limit;
 * that is excluded (`proven`) only where no granted request after the first refusal or beyond the limit shows
 * more remaining requests than the old window could have had. Anything else is to be measured again.
 */
export function assessAdmission(series: AdmissionSeries): Admission {
  const { limit, alreadyGranted, exchanges, unanswered } = series;
  const granted = exchanges.filter(isAccepted);
  const refusals = exchanges.filter(({ response }) => response.status === 429);
  const other = exchanges.length - granted.length - refusals.length + unanswered;
  const total = alreadyGranted + granted.length;
  const [refusal] = refusals;
  if (total > limit) {
    const witness = granted.at(-1) ?? exchanges[0];
    if (witness === undefined) {
      return { kind: 'uncertain', reason: 'Nothing was sent.' };
    }
    const kind = refusal === undefined ? 'unrefused' : 'over';
    return { kind, granted: total, proven: excludesRenewal(granted, limit - alreadyGranted, limit), witness };
  }
  if (refusal === undefined) {
    return {
      kind: 'uncertain',
      reason: 'Fewer requests were answered than the limit grants, and none was refused.',
    };
  }
  if (total < limit) {
    return total + other >= limit
      ? { kind: 'uncertain', reason: `${other} answers may have counted or not.` }
      : { kind: 'under', granted: total, witness: refusal };
  }
  return { kind: 'exact' };
}

// A new window moves Reset on by a whole window; requests within one move it by less than half.
const SAME_WINDOW_SECONDS = MINUTE_SECONDS / 2;

/** Whether Remaining and Reset of the granted requests show that no new window began between them. */
function excludesRenewal(granted: readonly Exchange[], room: number, limit: number): boolean {
  const seen = granted.map(rateLimitOf).filter((rateLimit) => rateLimit?.limit === limit);
  const readings = seen.filter((rateLimit) => rateLimit !== undefined);
  const resets = readings.map(({ reset }) => reset);
  const left = readings.map(({ remaining }) => remaining).toSorted((a, b) => b - a);
  return (
    readings.length === granted.length &&
    Math.max(...resets) - Math.min(...resets) < SAME_WINDOW_SECONDS &&
    // The n-th request that the window grants leaves room - n.
    left.every((remaining, index) => remaining <= Math.max(0, room - index - 1))
  );
}

/** A place in a series, sent one by one, where Remaining did not fall as it should. */
export interface Irregularity {
  readonly message: string;
  readonly exchange: Exchange;
}

/**
 * Looks for places where X-RateLimit-Remaining did not fall by one for an accepted request, in a series sent one
 * by one in a fresh window. Requests answered 4xx in between may have counted or not. One rise to a full window
 * is taken for the window's end, since fixed windows may end at any moment.
 */
export function findIrregularities(exchanges: readonly Exchange[]): readonly Irregularity[] {
  const found: Irregularity[] = [];
  let previous: { readonly limit: number; readonly remaining: number } | undefined;
  let uncertain = 0;
  let renewals = 0;
  for (const exchange of exchanges) {
    const rateLimit = rateLimitOf(exchange);
    if (!isAccepted(exchange) || rateLimit === undefined) {
      uncertain += 1;
      continue;
    }
    if (previous !== undefined && previous.limit === rateLimit.limit) {
      const highest = previous.remaining - 1;
      const lowest = highest - uncertain;
      const { remaining, limit } = rateLimit;
      const isFull = remaining <= limit - 1 && remaining >= limit - 1 - uncertain;
      const isRenewal = isFull && remaining > highest && renewals === 0;
      renewals += isRenewal ? 1 : 0;
      if (!isRenewal && (remaining > highest || remaining < lowest)) {
        const expected = lowest === highest ? `${highest}` : `${lowest} to ${highest}`;
        found.push({
          message: `X-RateLimit-Remaining went from ${previous.remaining} to ${remaining} with an accepted ${exchange.request.method} ${exchange.request.path}; ${expected} was due.`,
          exchange,
        });
      }
    }
    previous = rateLimit;
    uncertain = 0;
  }
  return found;
}
