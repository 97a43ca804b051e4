import type { Fault } from '../faults/fault.ts';
import { changeLimiter } from '../alterations/decisions.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Decision } from '../service/rate-limiter.ts';
import { changeResponses } from '../alterations/responses.ts';
import { everyNth } from '../alterations/requests.ts';
import { withoutHeader } from '../service/header-fields.ts';
import { alterUnderLoad } from './under-load.ts';

/** Requests of a key that its header forgot to count, in the window that ends at `reset`. */
interface Losses {
  readonly reset: number;
  readonly requests: number;
}

export const HEADER_LOAD_FAULTS: readonly Fault[] = [
  {
    id: 'headers-of-another-key-when-busy',
    title:
      'With more than forty requests of a key in flight, responses carry the headers of the previous key',
    breaks: 'limit-of-plan',
    alter: alterUnderLoad((load) =>
      changeLimiter((limiter) => {
        let before: Decision | undefined;
        return {
          decide: (key, now, request) => {
            const decision = limiter.decide(key, now, request);
            const shown = load.isBusy() ? (before ?? decision) : decision;
            before = decision;
            return { ...decision, minute: shown.minute, day: shown.day };
          },
        };
      }),
    ),
  },
  {
    id: 'remaining-repeats-when-busy',
    title:
      'With more than forty requests of a key in flight, X-RateLimit-Remaining stays the same on every third response',
    breaks: 'remaining-falls',
    alter: alterUnderLoad((load) =>
      changeLimiter((limiter) => {
        const losses = new WeakMap<KeyRecord, Losses>();
        const isTurn = everyNth(3);
        return {
          decide: (key, now, request) => {
            const decision = limiter.decide(key, now, request);
            const { minute } = decision;
            const known = losses.get(key);
            const before = known?.reset === minute.resetUnixSeconds ? known.requests : 0;
            const requests = before + (decision.accepted && load.isCrowdedBy(key) && isTurn() ? 1 : 0);
            losses.set(key, { reset: minute.resetUnixSeconds, requests });
            return decision.accepted
              ? { ...decision, minute: { ...minute, remaining: minute.remaining + requests } }
              : decision;
          },
        };
      }),
    ),
  },
  {
    id: 'remaining-missing-when-busy',
    title:
      'With more than forty requests of a key in flight, one response in twenty lacks X-RateLimit-Remaining',
    breaks: 'header-remaining',
    alter: alterUnderLoad((load) =>
      changeResponses(() => {
        const isTurn = everyNth(20);
        return (response) =>
          load.isBusy() && isTurn() ? withoutHeader(response, 'X-RateLimit-Remaining') : response;
      }),
    ),
  },
];
