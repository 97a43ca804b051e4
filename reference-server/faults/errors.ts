import { type JsonObject, type JsonValue, isJsonObject } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeErrorObjects } from '../alterations/answers.ts';
import { changeRepresentation, without } from '../alterations/inventory.ts';
import { everyNth, namesOneOf, operationOf } from '../alterations/requests.ts';
import { changeEveryResponse, changeResponses, withBody, withJson } from '../alterations/responses.ts';
import { changeUpdateAnswers, failOn, isNoJson } from '../alterations/updates.ts';
import { answerWith } from '../service/answer.ts';
import { headerOf, withHeader, withoutHeader, type ServiceResponse } from '../service/messages.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';
import { type Fault, breaking } from './fault.ts';

type ErrorStatus = 400 | 401 | 404;

const ALL: readonly ErrorStatus[] = [400, 401, 404];

/** Changes the Error object on some statuses. */
function changeErrors(
  statuses: readonly number[],
  change: (error: JsonObject) => JsonValue,
  isMeant: (server: object) => boolean = () => true,
): Alteration {
  return changeErrorObjects((error, status, server) =>
    statuses.includes(status) && isMeant(server) ? change(error) : error,
  );
}

const isFifteenth = everyNth(15);

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

function withoutCode(error: JsonObject): JsonObject {
  return without(error, 'code');
}

function withTextStatus(error: JsonObject): JsonObject {
  const { status } = error;
  return { ...error, status: typeof status === 'number' ? `${status}` : null };
}

function emptied(member: string): Alteration {
  return changeResponses((response) =>
    response.status >= 400
      ? withJson(response, (error) => (isJsonObject(error) ? { ...error, [member]: '' } : error))
      : response,
  );
}

const INVENTORY: readonly RoutedOperation[] = ['listInventory', 'updateInventory'];

const REFUSED: readonly number[] = [400, 401, 404];

/** Changes the responses of some statuses to some operations. */
function changeType(
  operations: readonly RoutedOperation[],
  statuses: readonly number[],
  change: (response: ServiceResponse, parts: ServiceParts) => ServiceResponse,
): Alteration {
  return changeResponses((response, request, parts) =>
    statuses.includes(response.status) && namesOneOf(parts, request, operations)
      ? change(response, parts)
      : response,
  );
}

function setType(
  operations: readonly RoutedOperation[],
  statuses: readonly number[],
  type: string,
): Alteration {
  return changeType(operations, statuses, (response) => withHeader(response, 'Content-Type', type));
}

function dropType(operations: readonly RoutedOperation[], statuses: readonly number[]): Alteration {
  return changeType(operations, statuses, (response) => withoutHeader(response, 'Content-Type'));
}

const ERROR_PAGE = '<!DOCTYPE html><html><head><title>Error</title></head><body>Bad Request</body></html>';

export const ERRORS_FAULTS: readonly Fault[] = [
  ...breaking('error-code', {
    'error-nested': {
      title: 'The Error object is nested in a member error',
      alter: changeErrors(ALL, (error) => ({ error })),
    },
    'error-as-text-on-404': {
      title: 'The body of a 404 is not JSON',
      excludes: ['json text'],
      alter: changeRepresentation(({ error }) => ({
        error: (given) => (given.status === 404 ? given.message : error(given)),
      })),
    },
    'error-code-as-number-on-404': {
      title: 'code is a number on 404',
      alter: changeErrors([404], (error) => ({ ...error, code: 4_711 })),
    },
    'error-code-missing-on-401-of-orders': {
      title: 'code is missing on a 401 of GET /store/orders',
      alter: changeUnauthorized(['listOrders'], withoutCode),
    },
    'error-code-missing-once-in-fifteen': {
      title: 'code is missing in one Error object in fifteen',
      alter: changeErrors(ALL, withoutCode, isFifteenth),
    },
  }),
  ...breaking('error-message', {
    'error-as-json-string-on-400': {
      title: 'The body of a 400 is a JSON string',
      alsoBreaks: ['error-code', 'error-status'],
      alter: changeErrors([400], (error) => error['message'] ?? ''),
    },
    'error-message-missing-on-400': {
      title: 'message is missing on 400',
      alter: changeErrors([400], (error) => without(error, 'message')),
    },
    'error-message-as-object': {
      title: 'message is an object that holds a text by language',
      alter: changeErrors(ALL, (error) => ({ ...error, message: { en: error['message'] ?? null } })),
    },
    'error-message-null-once-in-fifteen': {
      title: 'message is null in one Error object in fifteen',
      alter: changeErrors(ALL, (error) => ({ ...error, message: null }), isFifteenth),
    },
  }),
  ...breaking('error-status', {
    'error-status-as-string': {
      title: 'status is a string of digits',
      alter: changeErrors(ALL, withTextStatus),
    },
    'error-status-always-400': {
      title: 'status is 400 in every Error object',
      alter: changeErrors(ALL, (error) => ({ ...error, status: 400 })),
    },
    'error-status-missing-on-404': {
      title: 'status is missing on 404',
      alter: changeErrors([404], (error) => without(error, 'status')),
    },
    'error-status-500-once-in-fifteen': {
      title: 'status is 500 in one Error object in fifteen',
      alter: changeErrors(ALL, (error) => ({ ...error, status: 500 }), isFifteenth),
    },
  }),
  ...breaking('no-server-error', {
    'breaks-on-very-deep-nesting': {
      title: 'An update is answered 500 if its body has arrays 5,000 deep',
      alter: failOn(/\[{5000}/),
    },
  }),
  ...breaking('error-texts', {
    'error-code-empty': {
      title: 'code of an Error object is empty',
      alter: emptied('code'),
    },
    'error-message-empty': {
      title: 'message of an Error object is empty',
      alter: emptied('message'),
    },
  }),
  ...breaking('readable-json', {
    'bom-in-responses': {
      title: 'Every JSON body begins with a byte order mark',
      alter: changeEveryResponse((response) => {
        const isJson = /json/.test(headerOf(response, 'Content-Type') ?? '');
        return isJson
          ? withBody(response, Buffer.concat([Buffer.from('\u{feff}'), Buffer.from(response.body)]))
          : response;
      }),
    },
    'orders-empty-though-json': {
      title: 'GET /store/orders is answered with an empty body of Content-Type application/json',
      excludes: ['other operations', 'json text'],
      alter: { answers: () => ({ listOrders: () => answerWith(200, '') }) },
    },
  }),
  ...breaking('content-type-json', {
    'list-as-text': {
      title: 'The list is sent as text/plain',
      alter: setType(['listInventory'], [200], 'text/plain; charset=utf-8'),
    },
    'answer-without-type': {
      title: 'The answer to an update has no Content-Type',
      alter: dropType(['updateInventory'], [200]),
    },
    'bad-request-as-problem': {
      title: 'A 400 is sent as application/problem+json',
      alter: setType(INVENTORY, [400], 'application/problem+json'),
    },
    'type-twice-on-list': {
      title: 'The list has two Content-Type headers with different media types',
      alter: changeType(['listInventory'], [200], (response) => ({
        ...response,
        headers: [...response.headers, 'Content-Type', 'text/plain'],
      })),
    },
    'type-wrong-once-in-fifteen': {
      title: 'One answer in fifteen is sent as text/html',
      alter: changeType(INVENTORY, [200, ...REFUSED], (response, parts) =>
        isFifteenth(parts) ? withHeader(response, 'Content-Type', 'text/html') : response,
      ),
    },
    'malformed-json-answered-with-page': {
      title: 'A body that is not JSON is answered with an HTML page',
      excludes: ['json text'],
      alter: {
        parts: ({ render }) => ({
          render: (answer, limit, now) => {
            const response = render(answer, limit, now);
            return answer.body === ERROR_PAGE ? withHeader(response, 'Content-Type', 'text/html') : response;
          },
        }),
        ...changeUpdateAnswers(async (answer, { readBytes }) =>
          answer.status === 400 && isNoJson(await readBytes()) ? answerWith(400, ERROR_PAGE) : answer,
        ),
      },
    },
  }),
];
