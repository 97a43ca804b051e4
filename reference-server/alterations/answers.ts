import {
  isJsonObject,
  parseJson,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/index.ts';
import { type Alteration, combine } from './alteration.ts';
import { changeEachDecision } from './decisions.ts';
import { changeRepresentation } from './inventory.ts';
import type { Asking } from './requests.ts';
import { type Answer, answerError, answerWith } from '../service/answer.ts';
import { headerOf, withHeader, withoutHeader } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Decision } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

/** An Error object in place of an answer, with what else its header section has but for a media type. */
export function answerInstead(
  status: number,
  { representation }: Pick<ServiceParts, 'representation'>,
  replaced: Pick<Answer, 'headers'> = { headers: [] },
): Answer {
  const error = { code: 'refused', message: 'The request is not carried out.', status };
  return answerError(representation, error, withoutHeader(replaced, 'Content-Type').headers);
}

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

/** Changes the answers to banned keys. */
export function changeBannedAnswers(
  change: (
    answer: Answer,
    ban: { readonly seconds: number; readonly now: number },
    parts: ServiceParts,
  ) => Answer,
): Alteration {
  return {
    answers: ({ banned }, parts) => ({
      banned: (decision, now) =>
        change(banned(decision, now), { seconds: decision.retryAfterSeconds, now }, parts),
    }),
  };
}

/** Does not say how long a ban lasts. */
export const untoldBan = changeBannedAnswers((answer) => withoutHeader(answer, 'Retry-After'));

/** What is known of a request that a limit refuses. */
export interface LimitRefusal {
  readonly asking: Asking;
  readonly decision: Decision;
  readonly parts: ServiceParts;
}

/** Makes the answer that a limit gives instead of the one that was made. */
type LimitAnswerChange = (answer: Answer, refusal: LimitRefusal) => Answer;

/** Says whether a refusal is the first of its key. */
export function firstOfKey(): (refusal: LimitRefusal) => boolean {
  const known = new WeakSet<KeyRecord>();
  return ({ asking: { key } }) => {
    const isFirst = !known.has(key);
    known.add(key);
    return isFirst;
  };
}

/** Changes the answers to requests that a limit refuses. */
export function changeLimitAnswers(change: LimitAnswerChange): Alteration {
  const askings = new WeakMap<Decision, Asking>();
  return combine(
    changeEachDecision((decision, asking) => {
      askings.set(decision, asking);
      return decision;
    }),
    {
      answers: ({ limited }, parts) => ({
        limited: (decision, described, now) => {
          const answer = limited(decision, described, now);
          const asking = askings.get(decision);
          return asking === undefined ? answer : change(answer, { asking, decision, parts });
        },
      }),
    },
  );
}

/** Changes Error objects. @param change also gets the status of the response and what tells one server from another */
export function changeErrorObjects(
  change: (error: JsonObject, status: number, server: object) => JsonValue,
): Alteration {
  return changeRepresentation(({ error }, parts) => ({
    error: (given) => {
      const object = parseJson(error(given));
      return stringifyJson(isJsonObject(object) ? change(object, given.status, parts) : object);
    },
  }));
}
