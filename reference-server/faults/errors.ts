import { type JsonObject, type JsonValue, isJsonObject } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeErrorObjects } from '../alterations/answers.ts';
import { changeRepresentation, without } from '../alterations/inventory.ts';
import { everyNth, namesOneOf, operationOf } from '../alterations/requests.ts';
import {
  type Condition,
  changeEveryResponse,
  changeWhere,
  setHeaderWhere,
  withBody,
  withJson,
} from '../alterations/responses.ts';
import { changeUpdateAnswers, failOn, isNoJson } from '../alterations/updates.ts';
import { answerWith } from '../service/answer.ts';
import { headerOf, withHeader, withoutHeader } from '../service/messages.ts';
import type { RoutedOperation } from '../service/router.ts';
import { type Fault, breaking } from './fault.ts';

const ALL: readonly number[] = [400, 401, 404];

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
  return changeWhere(
    ({ status }) => status >= 400,
    (response) => withJson(response, (error) => (isJsonObject(error) ? { ...error, [member]: '' } : error)),
  );
}

const INVENTORY: readonly RoutedOperation[] = ['listInventory', 'updateInventory'];

/** The responses of some statuses to some operations. */
function on(operations: readonly RoutedOperation[], ...statuses: readonly number[]): Condition {
  return ({ status }, request, parts) => statuses.includes(status) && namesOneOf(parts, request, operations);
}

const onAny = on(INVENTORY, 200, ...ALL);

const ERROR_PAGE = '<!DOCTYPE html><html><head><title>Error</title></head><body>Bad Request</body></html>';

export const ERRORS_FAULTS: readonly Fault[] = [
  ...breaking('error-code', {
    'gzip-claimed-by-errors': [
      'An error says that it is in gzip if that was asked for, and is not',
      setHeaderWhere(
        ({ status }, request) => status >= 400 && /gzip/.test(headerOf(request, 'Accept-Encoding') ?? ''),
        'Content-Encoding',
        'gzip',
      ),
    ],
    'error-nested': [
      'The Error object is nested in a member error',
      changeErrors(ALL, (error) => ({ error })),
    ],
    'error-as-text-on-404': [
      'The body of a 404 is not JSON',
      changeRepresentation(({ error }) => ({
        error: (given) => (given.status === 404 ? given.message : error(given)),
      })),
      { excludes: ['json text'] },
    ],
    'error-code-as-number-on-404': [
      'code is a number on 404',
      changeErrors([404], (error) => ({ ...error, code: 4_711 })),
    ],
    'error-code-missing-on-401-of-orders': [
      'code is missing on a 401 of GET /store/orders',
      changeUnauthorized(['listOrders'], withoutCode),
    ],
    'error-code-missing-once-in-fifteen': [
      'code is missing in one Error object in fifteen',
      changeErrors(ALL, withoutCode, isFifteenth),
    ],
  }),
  ...breaking('error-message', {
    'error-as-json-string-on-400': [
      'The body of a 400 is a JSON string',
      changeErrors([400], (error) => error['message'] ?? ''),
      { alsoBreaks: ['error-code', 'error-status'] },
    ],
    'error-message-missing-on-400': [
      'message is missing on 400',
      changeErrors([400], (error) => without(error, 'message')),
    ],
    'error-message-as-object': [
      'message is an object that holds a text by language',
      changeErrors(ALL, (error) => ({ ...error, message: { en: error['message'] ?? null } })),
    ],
    'error-message-null-once-in-fifteen': [
      'message is null in one Error object in fifteen',
      changeErrors(ALL, (error) => ({ ...error, message: null }), isFifteenth),
    ],
  }),
  ...breaking('error-status', {
    'error-status-as-string': ['status is a string of digits', changeErrors(ALL, withTextStatus)],
    'error-status-always-400': [
      'status is 400 in every Error object',
      changeErrors(ALL, (error) => ({ ...error, status: 400 })),
    ],
    'error-status-missing-on-404': [
      'status is missing on 404',
      changeErrors([404], (error) => without(error, 'status')),
    ],
    'error-status-500-once-in-fifteen': [
      'status is 500 in one Error object in fifteen',
      changeErrors(ALL, (error) => ({ ...error, status: 500 }), isFifteenth),
    ],
  }),
  ...breaking('no-server-error', {
    'breaks-on-very-deep-nesting': [
      'An update is answered 500 if its body has arrays 5,000 deep',
      failOn(/\[{5000}/),
    ],
  }),
  ...breaking('error-texts', {
    'error-code-empty': ['code of an Error object is empty', emptied('code')],
    'error-message-empty': ['message of an Error object is empty', emptied('message')],
  }),
  ...breaking('readable-json', {
    'bom-in-responses': [
      'Every JSON body begins with a byte order mark',
      changeEveryResponse((response) => {
        const isJson = /json/.test(headerOf(response, 'Content-Type') ?? '');
        return isJson
          ? withBody(response, Buffer.concat([Buffer.from('\u{feff}'), Buffer.from(response.body)]))
          : response;
      }),
    ],
    'orders-empty-though-json': [
      'GET /store/orders is answered with an empty body of Content-Type application/json',
      { answers: () => ({ listOrders: () => answerWith(200, '') }) },
      { excludes: ['other operations', 'json text'] },
    ],
  }),
  ...breaking('content-type-json', {
    'list-as-text': [
      'The list is sent as text/plain',
      setHeaderWhere(on(['listInventory'], 200), 'Content-Type', 'text/plain; charset=utf-8'),
    ],
    'answer-without-type': [
      'The answer to an update has no Content-Type',
      changeWhere(on(['updateInventory'], 200), (response) => withoutHeader(response, 'Content-Type')),
    ],
    'bad-request-as-problem': [
      'A 400 is sent as application/problem+json',
      setHeaderWhere(on(INVENTORY, 400), 'Content-Type', 'application/problem+json'),
    ],
    'type-twice-on-list': [
      'The list has two Content-Type headers with different media types',
      changeWhere(on(['listInventory'], 200), (response) => ({
        ...response,
        headers: [...response.headers, 'Content-Type', 'text/plain'],
      })),
    ],
    'type-wrong-once-in-fifteen': [
      'One answer in fifteen is sent as text/html',
      setHeaderWhere((...given) => onAny(...given) && isFifteenth(given[2]), 'Content-Type', 'text/html'),
    ],
    'malformed-json-answered-with-page': [
      'A body that is not JSON is answered with an HTML page',
      {
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
      { excludes: ['json text'] },
    ],
  }),
];
