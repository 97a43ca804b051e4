import {
  isJsonObject,
  parseJson,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/index.ts';
import { type Alteration, combine } from './alteration.ts';
import { changeDecisions } from './decisions.ts';
import type { Asking } from './requests.ts';
import { type Answer, answerWith } from '../service/answer.ts';
import { headerOf, withHeader, withoutHeader } from '../service/header-fields.ts';
import type { Decision } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

/** Replaces the content of an answer; the parts need `letAnswersChooseMediaType`. */
export function withContent(answer: Answer, mediaType: string, text: string): Answer {
  const { headers } = withHeader(answer, 'Content-Type', mediaType);
  return answerWith(answer.status, text, headers);
}

/** Lets an answer's own Content-Type replace that of the renderer; an empty one leaves the field out. */
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
 * Redirects requests for an operation in its documented spelling.
 * @param respell makes the path of Location from the requested path
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

/** What is known of a request that a limit refuses. */
export interface LimitRefusal {
  readonly asking: Asking;
  readonly decision: Decision;
  readonly parts: ServiceParts;
}

/** Makes the answer that a limit gives instead of the one that was made. */
type LimitAnswerChange = (answer: Answer, refusal: LimitRefusal) => Answer;

/**
 * Changes the answers to requests that a limit refuses.
 * @param start called once for each server; what it holds is the state of that server
 */
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

/** Changes Error objects; the status is that of the response. */
export function changeErrorObjects(change: (error: JsonObject, status: number) => JsonValue): Alteration {
  return {
    parts: ({ representation }) => ({
      representation: {
        ...representation,
        error: (given) => {
          const error = parseJson(representation.error(given));
          return stringifyJson(isJsonObject(error) ? change(error, given.status) : error);
        },
      },
    }),
  };
}
