import { isJsonObject } from '../../contract/lossless-json.ts';
import { answerWith } from '../service/answer.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeResponses, headerOf, withHeader, withJson } from '../alterations/response-changes.ts';
import type { ServiceResponse } from '../service/messages.ts';
import { withField } from '../alterations/answer-changes.ts';
import type { Fault } from './fault.ts';

function emptied(member: string): Alteration {
  return changeResponses(
    () => (response) =>
      response.status >= 400
        ? withJson(response, (error) => (isJsonObject(error) ? { ...error, [member]: '' } : error))
        : response,
  );
}

function changeWhere(
  isMeant: (response: ServiceResponse) => boolean,
  name: string,
  value: string,
): Alteration {
  return changeResponses(
    () => (response) => (isMeant(response) ? withHeader(response, name, value) : response),
  );
}

function withAllow(id: string, title: string, value: string): Fault {
  return {
    id,
    title,
    breaks: 'method-not-allowed',
    excludes: ['wrong methods'],
    alter: changeWhere(({ status }) => status === 405, 'Allow', value),
  };
}

/** What decides with `--level should` only. */
export const PLAIN_SENSE_FAULTS: readonly Fault[] = [
  withAllow('allow-empty', 'Allow on a 405 is empty', ''),
  withAllow('allow-of-another-path', 'Allow on every 405 names GET only', 'GET'),
  {
    id: 'wrong-method-on-an-entry-not-found',
    title: 'A wrong method on /inventory/{petId} is answered 404',
    breaks: 'method-not-allowed',
    excludes: ['wrong methods', 'unknown routes'],
    alter: {
      parts: ({ route }) => ({
        route: (method, target) => {
          const match = route(method, target);
          return match.kind === 'method-not-allowed' && match.allow === 'PATCH'
            ? { kind: 'not-found' }
            : match;
        },
      }),
    },
  },
  {
    id: 'error-code-empty',
    title: 'code of an Error object is empty',
    breaks: 'error-texts',
    alter: emptied('code'),
  },
  {
    id: 'error-message-empty',
    title: 'message of an Error object is empty',
    breaks: 'error-texts',
    alter: emptied('message'),
  },
  {
    id: 'orders-empty-though-json',
    title: 'GET /store/orders is answered with an empty body that is said to be JSON',
    breaks: 'readable-json',
    excludes: ['other operations', 'json text'],
    alter: { answers: () => ({ listOrders: () => answerWith(200, '') }) },
  },
  {
    id: 'date-of-1970',
    title: 'Date is the first second of 1970',
    breaks: 'date-header',
    excludes: ['date header'],
    alter: changeWhere(
      (response) => headerOf(response, 'Date') !== undefined,
      'Date',
      'Thu, 01 Jan 1970 00:00:00 GMT',
    ),
  },
  {
    id: 'retry-after-in-milliseconds',
    title: 'Retry-After of a limit is in milliseconds',
    breaks: 'retry-after-plausible',
    excludes: ['retry-after form'],
    alter: {
      answers: ({ limited }) => ({
        limited: (decision, described, now) =>
          withField(
            limited(decision, described, now),
            'Retry-After',
            `${decision.retryAfterSeconds * 1_000}`,
          ),
      }),
    },
  },
  {
    id: 'sunset-in-unix-seconds',
    title: 'Sunset tells Unix seconds',
    breaks: 'sunset-header',
    excludes: ['deprecation headers'],
    alter: changeWhere((response) => headerOf(response, 'Sunset') !== undefined, 'Sunset', '1830297600'),
  },
  {
    id: 'deprecation-true',
    title: 'Deprecation is the word true, as in an earlier draft',
    breaks: 'deprecation-header',
    excludes: ['deprecation headers'],
    alter: changeWhere((response) => headerOf(response, 'Deprecation') !== undefined, 'Deprecation', 'true'),
  },
];
