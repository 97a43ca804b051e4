import { type Alteration, combine } from './alteration.ts';
import { changeDecisions } from './decisions.ts';
import type { Asking } from './requests.ts';
import { type Answer, answerWith } from '../service/answer.ts';
import { headerOf, withHeader, withoutHeader } from '../service/header-fields.ts';
import type { Decision } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

/** Replaces the content of an answer; needs `letAnswersChooseMediaType`. */
export function withContent(answer: Answer, mediaType: string, text: string): Answer {
  const { headers } = withHeader(answer, 'Content-Type', mediaType);
  return answerWith(answer.status, text, headers);
}

/** An answer's own Content-Type then takes the place of the renderer's; an empty one leaves the field out. */
export function letAnswersChooseMediaType({ render }: ServiceParts): Partial<ServiceParts> {
  return {
    render: (answer, limit, now) => {
      const response = render(answer, limit, now);
      const mediaType = headerOf(answer, 'Content-Type');
      if (mediaType === undefined) {
        return response;
      }
      // The renderer appends the answer's own fields to those of every response.
      const bare = withoutHeader(response, 'Content-Type');
      return mediaType === '' ? bare : withHeader(bare, 'Content-Type', mediaType);
    },
  };
}

/**
 * Redirects an operation that is asked for in its documented spelling.
 * @param respell makes the path of the Location out of the one that was asked for
 */
export function redirect(
  operation: Extract<RoutedOperation, 'listInventory' | 'updateInventory'>,
  status: number,
  respell: (path: string) => string,
): Alteration {
  return {
    answers: (answers) => ({
      [operation]: ((request, petId) => {
        const location = respell(request.target);
        return /\/inventory(?:\/\d+)?$/.test(request.target) && location !== request.target
          ? answerWith(status, '{}', ['Location', location])
          : answers[operation](request, petId);
      }) satisfies (typeof answers)[typeof operation],
    }),
  };
}

export interface LimitRefusal {
  readonly asking: Asking;
  readonly decision: Decision;
  readonly parts: ServiceParts;
}

/** Makes another answer of an answer to a request that a limit refuses. */
type LimitAnswerChange = (answer: Answer, refusal: LimitRefusal) => Answer;

/** Changes what is answered at a limit. `start` is called once for each server. */
export function changeLimitAnswers(start: () => LimitAnswerChange): Alteration {
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
