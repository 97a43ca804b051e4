import type { RoutedOperation } from '../service/router.ts';
import { answerError, type Answer } from '../service/answer.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { Decision } from '../service/rate-limiter.ts';
import { everyNth } from '../alterations/response-changes.ts';
import type { ServiceParts } from '../service/service.ts';
import { withoutField } from '../alterations/answer-changes.ts';
import type { Fault } from './fault.ts';
import { changeDecisions, combine, type Asking } from '../alterations/limiter-changes.ts';

export interface Refusal {
  readonly asking: Asking;
  readonly decision: Decision;
  readonly parts: ServiceParts;
}

/** Makes another answer of an answer to a request that a limit refuses. */
export type LimitedChange = (answer: Answer, refusal: Refusal) => Answer;

/** Changes what is answered at a limit. `start` is called once for each server. */
export function changeLimited(start: () => LimitedChange): Alteration {
  const askings = new WeakMap<Decision, Asking>();
  return combine(
    changeDecisions(() => (decision, asking) => {
      askings.set(decision, asking);
      return decision;
    }),
    {
      answers: ({ limited }, parts) => {
        const change = start();
        return {
          limited: (decision, described, now) => {
            const answer = limited(decision, described, now);
            const asking = askings.get(decision);
            return asking === undefined ? answer : change(answer, { asking, decision, parts });
          },
        };
      },
    },
  );
}

/** Answers with another status, and with Retry-After as before. */
function answerWithStatus(
  status: number,
  start: () => (refusal: Refusal) => boolean = () => () => true,
): Alteration {
  return changeLimited(() => {
    const applies = start();
    return (answer, refusal) =>
      applies(refusal)
        ? answerError(
            refusal.parts.representation,
            { code: 'rate_limited', message: 'The rate limit is exceeded.', status },
            withoutField(answer, 'Content-Type').headers,
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

export const REFUSAL_AT_LIMIT_FAULTS: readonly Fault[] = [
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
  operationAnswered('listOrders', 503, 'orders-at-limit-503', 'The orders beyond a limit are answered 503'),
  {
    id: 'day-limit-answered-403',
    title: 'A request beyond the day is answered 403',
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
  {
    id: 'limit-answered-200-with-error',
    title: 'A request beyond a limit is answered 200 with an Error object in which 429 stands',
    breaks: 'minute-limit-free',
    alter: changeLimited(() => (answer) => ({ ...answer, status: 200 })),
  },
];
