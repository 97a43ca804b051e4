import type { Alteration } from '../alterations/alteration.ts';
import { type LimitRefusal, changeLimitAnswers } from '../alterations/answers.ts';
import { everyNth } from '../alterations/requests.ts';
import type { Fault } from './fault.ts';
import { answerError } from '../service/answer.ts';
import { withoutHeader } from '../service/header-fields.ts';
import type { RoutedOperation } from '../service/router.ts';

/** Answers with another status, and with Retry-After as before. */
export function answerWithStatus(
  status: number,
  start: () => (refusal: LimitRefusal) => boolean = () => () => true,
): Alteration {
  return changeLimitAnswers(() => {
    const applies = start();
    return (answer, refusal) =>
      applies(refusal)
        ? answerError(
            refusal.parts.representation,
            { code: 'rate_limited', message: 'The rate limit is exceeded.', status },
            withoutHeader(answer, 'Content-Type').headers,
          )
        : answer;
  });
}

function operationAnswered(operation: RoutedOperation, status: number, id: string, title: string): Fault {
  return {
    id,
    title,
    breaks: 'refusal-is-429',
    alter: answerWithStatus(
      status,
      () =>
        ({ asking }) =>
          asking.operation === operation,
    ),
  };
}

export const REFUSAL_IS_429_FAULTS: readonly Fault[] = [
  {
    id: 'limit-answered-503',
    title: 'A request beyond a limit is answered 503',
    breaks: 'refusal-is-429',
    alter: answerWithStatus(503),
  },
  operationAnswered(
    'updateInventory',
    403,
    'updates-at-limit-403',
    'An update beyond a limit is answered 403',
  ),
  operationAnswered(
    'listOrders',
    503,
    'orders-at-limit-503',
    'GET /store/orders beyond a limit is answered 503',
  ),
  {
    id: 'day-limit-answered-403',
    title: 'A request beyond the per-day limit is answered 403',
    breaks: 'refusal-is-429',
    alter: answerWithStatus(
      403,
      () =>
        ({ decision }) =>
          decision.day.remaining === 0,
    ),
  },
  {
    id: 'first-refusal-answered-503',
    title: 'The first request of a key beyond a limit is answered 503, later ones 429',
    breaks: 'refusal-is-429',
    alter: answerWithStatus(503, () => {
      const known = new WeakSet<object>();
      return ({ asking: { key } }) => {
        const isFirst = !known.has(key);
        known.add(key);
        return isFirst;
      };
    }),
  },
  {
    id: 'one-refusal-in-five-answered-503',
    title: 'One in five requests beyond a limit is answered 503',
    breaks: 'refusal-is-429',
    alter: answerWithStatus(503, () => everyNth(5)),
  },
];
