import type { Alteration } from '../alterations/alteration.ts';
import { STRANGER, admitAlso, admitAnyKey, admitWithoutKey } from '../alterations/authentication.ts';
import { keyOf, namesOneOf } from '../alterations/requests.ts';
import { changeResponses, setHeaderWhere, withStatus } from '../alterations/responses.ts';
import type { Fault } from './fault.ts';
import type { RoutedOperation } from '../service/router.ts';

function answerStrangers(status: number, operations: readonly RoutedOperation[]): Alteration {
  return changeResponses((parts) => (response, request) => {
    const isStranger = keyOf(parts, request) === undefined;
    return isStranger && namesOneOf(parts, request, operations) ? withStatus(response, status) : response;
  });
}

export const AUTHENTICATION_FAULTS: readonly Fault[] = [
  {
    id: 'pet-without-key',
    title: 'GET /pets/{petId} needs no key',
    breaks: 'every-operation-authenticates',
    alter: admitWithoutKey(['getPet']),
  },
  {
    id: 'orders-with-unknown-key',
    title: 'GET /store/orders accepts any key',
    breaks: 'every-operation-authenticates',
    alter: admitAnyKey(['listOrders']),
  },
  {
    id: 'query-without-key',
    title: 'A request with a query string needs no key',
    breaks: 'every-operation-authenticates',
    excludes: ['query parameters'],
    alter: admitAlso(
      () =>
        ({ target }) =>
          target.includes('?') ? STRANGER : undefined,
    ),
  },
  {
    id: 'trailing-slash-without-key',
    title: 'A path with a trailing slash needs no key',
    breaks: 'every-operation-authenticates',
    excludes: ['trailing-slashes-404'],
    alter: admitAlso(
      () =>
        ({ target }) =>
          /\/(?:\?|$)/.test(target) ? STRANGER : undefined,
    ),
  },
  {
    id: 'pet-hidden-without-key',
    title: 'GET /pets/{petId} without a valid key is answered 404',
    breaks: 'every-operation-authenticates',
    alter: answerStrangers(404, ['getPet']),
  },
  {
    id: 'challenge-empty',
    title: 'WWW-Authenticate on a 401 is empty',
    breaks: 'www-authenticate',
    excludes: ['challenge of a 401'],
    alter: setHeaderWhere(({ status }) => status === 401, 'WWW-Authenticate', ''),
  },
];
