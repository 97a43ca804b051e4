import { changeErrorObjects } from '../alterations/answers.ts';

import { type JsonObject, type JsonValue, isJsonObject } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { without } from '../alterations/inventory.ts';
import { everyNth, operationOf } from '../alterations/requests.ts';
import { changeEveryResponse, changeResponses, withBody, withJson } from '../alterations/responses.ts';
import { failOn } from '../alterations/updates.ts';
import type { Fault } from './fault.ts';
import { answerWith } from '../service/answer.ts';
import { headerOf } from '../service/header-fields.ts';
import type { RoutedOperation } from '../service/router.ts';

type ErrorStatus = 400 | 401 | 404;

const ALL: readonly ErrorStatus[] = [400, 401, 404];

/** Changes the Error object on some statuses. */
function changeErrors(
  statuses: readonly number[],
  change: (error: JsonObject) => JsonValue,
  isMeant: () => boolean = () => true,
): Alteration {
  return changeErrorObjects((error, status) =>
    statuses.includes(status) && isMeant() ? change(error) : error,
  );
}

/** Changes the Error object on some of the errors. */
function changeSomeErrors(start: () => () => boolean, change: (error: JsonObject) => JsonValue): Alteration {
  return { parts: (parts) => ({ ...changeErrors(ALL, change, start()).parts?.(parts) }) };
}

/** Changes the Error object of a 401 to some operations; it is written while its request is authenticated. */
function changeUnauthorized(
  operations: readonly RoutedOperation[],
  change: (error: JsonObject) => JsonValue,
): Alteration {
  return {
    parts: (parts) => {
      let current: RoutedOperation | undefined;
      const isMeant = (): boolean => current !== undefined && operations.includes(current);
      return {
        ...changeErrors([401], change, isMeant).parts?.(parts),
        authenticate: (request, keys) => {
          current = operationOf(parts, request);
          return parts.authenticate(request, keys);
        },
      };
    },
  };
}

function withNumber(error: JsonObject): JsonObject {
  return { ...error, code: 4_711 };
}

function withoutCode(error: JsonObject): JsonObject {
  return without(error, 'code');
}

function withoutMessage(error: JsonObject): JsonObject {
  return without(error, 'message');
}

function withoutStatus(error: JsonObject): JsonObject {
  return without(error, 'status');
}

function withTextStatus(error: JsonObject): JsonObject {
  const { status } = error;
  return { ...error, status: typeof status === 'number' ? `${status}` : null };
}

function nested(error: JsonObject): JsonObject {
  return { error };
}

function emptied(member: string): Alteration {
  return changeResponses(
    () => (response) =>
      response.status >= 400
        ? withJson(response, (error) => (isJsonObject(error) ? { ...error, [member]: '' } : error))
        : response,
  );
}

export const ERRORS_FAULTS: readonly Fault[] = [
  {
    id: 'error-nested',
    title: 'The Error object is nested in a member error',
    breaks: 'error-code',
    alter: changeErrors(ALL, nested),
  },
  {
    id: 'error-as-text-on-404',
    title: 'The body of a 404 is not JSON',
    breaks: 'error-code',
    excludes: ['json text'],
    alter: {
      parts: ({ representation }) => ({
        representation: {
          ...representation,
          error: (error) => (error.status === 404 ? error.message : representation.error(error)),
        },
      }),
    },
  },
  {
    id: 'error-as-json-string-on-400',
    title: 'The body of a 400 is a JSON string',
    breaks: 'error-message',
    alsoBreaks: ['error-code', 'error-status'],
    alter: changeErrors([400], (error) => error['message'] ?? ''),
  },
  {
    id: 'error-code-as-number-on-404',
    title: 'code is a number on 404',
    breaks: 'error-code',
    alter: changeErrors([404], withNumber),
  },
  {
    id: 'error-code-missing-on-401-of-orders',
    title: 'code is missing on a 401 of GET /store/orders',
    breaks: 'error-code',
    alter: changeUnauthorized(['listOrders'], withoutCode),
  },
  {
    id: 'error-code-missing-once-in-fifteen',
    title: 'code is missing in one Error object in fifteen',
    breaks: 'error-code',
    alter: changeSomeErrors(() => everyNth(15), withoutCode),
  },
  {
    id: 'error-message-missing-on-400',
    title: 'message is missing on 400',
    breaks: 'error-message',
    alter: changeErrors([400], withoutMessage),
  },
  {
    id: 'error-message-as-object',
    title: 'message is an object that holds a text by language',
    breaks: 'error-message',
    alter: changeErrors(ALL, (error) => ({ ...error, message: { en: error['message'] ?? null } })),
  },
  {
    id: 'error-message-null-once-in-fifteen',
    title: 'message is null in one Error object in fifteen',
    breaks: 'error-message',
    alter: changeSomeErrors(
      () => everyNth(15),
      (error) => ({ ...error, message: null }),
    ),
  },
  {
    id: 'error-status-as-string',
    title: 'status is a string of digits',
    breaks: 'error-status',
    alter: changeErrors(ALL, withTextStatus),
  },
  {
    id: 'error-status-always-400',
    title: 'status is 400 in every Error object',
    breaks: 'error-status',
    alter: changeErrors(ALL, (error) => ({ ...error, status: 400 })),
  },
  {
    id: 'error-status-missing-on-404',
    title: 'status is missing on 404',
    breaks: 'error-status',
    alter: changeErrors([404], withoutStatus),
  },
  {
    id: 'error-status-500-once-in-fifteen',
    title: 'status is 500 in one Error object in fifteen',
    breaks: 'error-status',
    alter: changeSomeErrors(
      () => everyNth(15),
      (error) => ({ ...error, status: 500 }),
    ),
  },
  {
    id: 'breaks-on-very-deep-nesting',
    title: 'An update is answered 500 if its body has arrays 5,000 deep',
    breaks: 'no-server-error',
    alter: failOn(/\[{5000}/),
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
    id: 'bom-in-responses',
    title: 'Every JSON body begins with a byte order mark',
    breaks: 'readable-json',
    alter: changeEveryResponse(() => (response) => {
      const isJson = /json/.test(headerOf(response, 'Content-Type') ?? '');
      return isJson
        ? withBody(response, Buffer.concat([Buffer.from('\u{feff}'), Buffer.from(response.body)]))
        : response;
    }),
  },
  {
    id: 'orders-empty-though-json',
    title: 'GET /store/orders is answered with an empty body of Content-Type application/json',
    breaks: 'readable-json',
    excludes: ['other operations', 'json text'],
    alter: { answers: () => ({ listOrders: () => answerWith(200, '') }) },
  },
];
