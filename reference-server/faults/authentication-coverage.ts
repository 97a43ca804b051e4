import type { Connection } from '../service/messages.ts';
import { changeResponses, everyNth, keyOf } from '../alterations/response-changes.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { RoutedOperation } from '../service/router.ts';
import {
  admitAlso,
  answerMissingKey,
  credentialsOf,
  isOneOf,
  STRANGER,
  tokenOf,
  withStatus,
} from '../alterations/authentication-changes.ts';
import type { Fault } from './fault.ts';

/** Requests without a valid key that an operation carries out. */
const OPEN_OPERATION_FAULTS: readonly Fault[] = [
  {
    id: 'list-without-key',
    title: 'GET /inventory needs no key',
    breaks: 'missing-key',
    alter: admitWithoutKey(['listInventory']),
  },
  {
    id: 'update-without-key',
    title: 'An update needs no key',
    breaks: 'missing-key',
    alter: admitWithoutKey(['updateInventory']),
  },
  {
    id: 'pet-without-key',
    title: 'GET /pets/{petId} needs no key',
    breaks: 'every-operation-authenticates',
    alter: admitWithoutKey(['getPet']),
  },
  {
    id: 'update-with-unknown-key',
    title: 'An update accepts any key',
    breaks: 'unknown-key',
    alter: admitAnyKey(['updateInventory']),
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
    id: 'missing-key-once-in-ten',
    title: 'One in ten requests without a key is accepted',
    breaks: 'missing-key',
    alter: admitAlso(() => {
      const isNext = everyNth(10);
      return (_request, reason) => (reason === 'missing' && isNext() ? STRANGER : undefined);
    }),
  },
  {
    id: 'first-request-without-key',
    title: 'The first request of a connection needs no key',
    breaks: 'missing-key',
    alter: admitAlso(() => {
      const seen = new WeakSet<Connection>();
      return ({ connection }, reason) => {
        const isFirst = !seen.has(connection);
        seen.add(connection);
        return isFirst && reason === 'missing' ? STRANGER : undefined;
      };
    }),
  },
  {
    id: 'empty-token',
    title: 'The scheme Bearer without a token is accepted',
    breaks: 'missing-key',
    alter: admitAlso(
      () => (request) => (/^bearer *$/i.test(credentialsOf(request) ?? '-') ? STRANGER : undefined),
    ),
  },
];

/** Requests without a valid key that are refused with another status. */
const OTHER_STATUS_FAULTS: readonly Fault[] = [
  {
    id: 'missing-key-forbidden',
    title: 'A request without a key is answered 403',
    breaks: 'missing-key',
    alter: answerMissingKey(403),
  },
  {
    id: 'missing-key-success',
    title: 'A request without a key is answered 200 with an Error object',
    breaks: 'missing-key',
    alter: answerMissingKey(200),
  },
  {
    id: 'pet-hidden-without-key',
    title: 'GET /pets/{petId} without a valid key is answered 404',
    breaks: 'every-operation-authenticates',
    alter: answerStrangers(404, ['getPet']),
  },
];

export const AUTHENTICATION_COVERAGE_FAULTS: readonly Fault[] = [
  ...OPEN_OPERATION_FAULTS,
  ...OTHER_STATUS_FAULTS,
];

function admitWithoutKey(operations: readonly RoutedOperation[]): Alteration {
  return admitAlso(
    (parts) => (request, reason) =>
      reason === 'missing' && isOneOf(parts, request, operations) ? STRANGER : undefined,
  );
}

function admitAnyKey(operations: readonly RoutedOperation[]): Alteration {
  return admitAlso(
    (parts) => (request) =>
      tokenOf(request) !== undefined && isOneOf(parts, request, operations) ? STRANGER : undefined,
  );
}

function answerStrangers(status: number, operations: readonly RoutedOperation[]): Alteration {
  return changeResponses((parts) => (response, request) => {
    const isStranger = keyOf(parts, request) === undefined;
    return isStranger && isOneOf(parts, request, operations) ? withStatus(response, status) : response;
  });
}
