import type { Alteration } from '../alterations/alteration.ts';
import { everyNth, operationOf } from '../alterations/requests.ts';
import { changeResponses } from '../alterations/responses.ts';
import { changeUpdateAnswers, isNoJson } from '../alterations/updates.ts';
import type { Fault } from './fault.ts';
import { answerWith } from '../service/answer.ts';
import { withHeader, withoutHeader } from '../service/header-fields.ts';
import type { ServiceResponse } from '../service/messages.ts';
import type { RoutedOperation } from '../service/router.ts';

const INVENTORY: readonly RoutedOperation[] = ['listInventory', 'updateInventory'];

const REFUSED: readonly number[] = [400, 401, 404];

/** Changes the responses of some statuses to some operations. */
function changeType(
  operations: readonly RoutedOperation[],
  statuses: readonly number[],
  start: () => (response: ServiceResponse) => ServiceResponse,
): Alteration {
  return changeResponses((parts) => {
    const change = start();
    return (response, request) => {
      const operation = operationOf(parts, request);
      const isMeant = operation !== undefined && operations.includes(operation);
      return isMeant && statuses.includes(response.status) ? change(response) : response;
    };
  });
}

function setType(
  operations: readonly RoutedOperation[],
  statuses: readonly number[],
  type: string,
): Alteration {
  return changeType(operations, statuses, () => (response) => withHeader(response, 'Content-Type', type));
}

function dropType(operations: readonly RoutedOperation[], statuses: readonly number[]): Alteration {
  return changeType(operations, statuses, () => (response) => withoutHeader(response, 'Content-Type'));
}

const ERROR_PAGE = '<!DOCTYPE html><html><head><title>Error</title></head><body>Bad Request</body></html>';

export const CONTENT_TYPE_JSON_FAULTS: readonly Fault[] = [
  {
    id: 'list-as-text',
    title: 'The list is sent as text/plain',
    breaks: 'content-type-json',
    alter: setType(['listInventory'], [200], 'text/plain; charset=utf-8'),
  },
  {
    id: 'answer-without-type',
    title: 'The answer to an update has no Content-Type',
    breaks: 'content-type-json',
    alter: dropType(['updateInventory'], [200]),
  },
  {
    id: 'bad-request-as-problem',
    title: 'A 400 is sent as application/problem+json',
    breaks: 'content-type-json',
    alter: setType(INVENTORY, [400], 'application/problem+json'),
  },
  {
    id: 'type-twice-on-list',
    title: 'The list has two Content-Type headers with different media types',
    breaks: 'content-type-json',
    alter: changeType(['listInventory'], [200], () => (response) => ({
      ...response,
      headers: [...response.headers, 'Content-Type', 'text/plain'],
    })),
  },
  {
    id: 'type-wrong-once-in-fifteen',
    title: 'One answer in fifteen is sent as text/html',
    breaks: 'content-type-json',
    alter: changeType(INVENTORY, [200, ...REFUSED], () => {
      const isNext = everyNth(15);
      return (response) => (isNext() ? withHeader(response, 'Content-Type', 'text/html') : response);
    }),
  },
  {
    id: 'malformed-json-answered-with-page',
    title: 'A body that is not JSON is answered with an HTML page',
    breaks: 'content-type-json',
    excludes: ['json text'],
    alter: {
      parts: ({ render }) => ({
        render: (answer, limit, now) => {
          const response = render(answer, limit, now);
          return answer.body === ERROR_PAGE ? withHeader(response, 'Content-Type', 'text/html') : response;
        },
      }),
      ...changeUpdateAnswers(
        () =>
          async (answer, { readBytes }) =>
            answer.status === 400 && isNoJson(await readBytes()) ? answerWith(400, ERROR_PAGE) : answer,
      ),
    },
  },
];
