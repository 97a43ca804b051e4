import type { Alteration } from '../alterations/alteration.ts';
import { STRANGER, changeAuthentication, refuseAlso, withIssuedKeys } from '../alterations/authentication.ts';
import { everyNth, keyOf, namesOneOf } from '../alterations/requests.ts';
import { changeResponses, dropConnections, withStatus } from '../alterations/responses.ts';
import type { Fault } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection } from '../service/messages.ts';
import type { RoutedOperation } from '../service/router.ts';

/** Refuses a key whose field has a name that does not fit. */
function refuseNamed(fits: (name: string) => boolean): Alteration {
  return refuseAlso(
    () =>
      ({ headers }) =>
        !headers.some((name, index) => index % 2 === 0 && /^authorization$/i.test(name) && fits(name)),
  );
}

function refuseOn(operations: readonly RoutedOperation[]): Alteration {
  return refuseAlso((parts) => (request) => namesOneOf(parts, request, operations));
}

export const VALID_KEY_ACCEPTED_FAULTS: readonly Fault[] = [
  {
    id: 'authorization-in-small-letters-overlooked',
    title: 'A key in a field named authorization is answered 401',
    breaks: 'valid-key-accepted',
    alter: refuseNamed((name) => name !== 'authorization'),
  },
  {
    id: 'authorization-in-capitals-overlooked',
    title: 'A key in a field named AUTHORIZATION is answered 401',
    breaks: 'valid-key-accepted',
    alter: refuseNamed((name) => name !== 'AUTHORIZATION'),
  },
  {
    id: 'valid-key-refused-once-in-twenty',
    title: 'One in twenty requests with a valid key is answered 401',
    breaks: 'valid-key-accepted',
    alter: refuseAlso(() => {
      const isNext = everyNth(20);
      return () => isNext();
    }),
  },
  {
    id: 'issued-key-refused-at-first',
    title: 'A newly issued key is answered 401 at its first request',
    breaks: 'valid-key-accepted',
    alter: withIssuedKeys((issued) => refuseAlso(() => (_request, key) => issued.delete(key))),
  },
  {
    id: 'orders-dropped',
    title: 'GET /store/orders is answered by closing the connection',
    breaks: 'valid-key-accepted',
    alter: dropConnections((request, parts) => namesOneOf(parts, request, ['listOrders']), 'goes on'),
  },
  {
    id: 'issued-keys-refused',
    title: 'Issued keys are answered 401',
    breaks: 'valid-key-accepted',
    alter: withIssuedKeys((issued) => refuseAlso(() => (_request, key) => issued.has(key))),
  },
  {
    id: 'issued-keys-forbidden',
    title: 'Issued keys are answered 403',
    breaks: 'valid-key-accepted',
    alter: withIssuedKeys((issued) =>
      changeResponses(
        (parts) => (response, request) =>
          issued.has(keyOf(parts, request) ?? STRANGER) ? withStatus(response, 403) : response,
      ),
    ),
  },
  {
    id: 'valid-key-bound-to-a-connection',
    title: 'A key works only on the first connection on which it was used',
    breaks: 'valid-key-accepted',
    alter: refuseAlso(() => {
      const homes = new WeakMap<KeyRecord, Connection>();
      return ({ connection }, key) => {
        const home = homes.get(key) ?? connection;
        homes.set(key, home);
        return home !== connection;
      };
    }),
  },
  {
    id: 'valid-key-refused-for-pets',
    title: 'GET /pets/{petId} answers 401 to a valid key',
    breaks: 'valid-key-accepted',
    alter: refuseOn(['getPet']),
  },
  {
    id: 'enterprise-key-refused',
    title: 'An Enterprise key is answered 401',
    breaks: 'valid-key-accepted',
    alter: refuseAlso(
      () =>
        (_request, { plan }) =>
          plan === 'enterprise',
    ),
  },
  {
    id: 'valid-key-refused-after-a-bad-key',
    title: 'After a bad key a connection answers 401 to every key',
    breaks: 'valid-key-accepted',
    excludes: ['connection-closed-after-each-response'],
    alter: changeAuthentication(() => {
      const barred = new WeakSet<Connection>();
      return ({ connection }, key) => {
        if (key === 'invalid') {
          barred.add(connection);
        }
        return barred.has(connection) && key !== 'missing' ? 'invalid' : key;
      };
    }),
  },
  {
    id: 'valid-key-refused-after-a-bad-request',
    title: 'The request that follows a 400 of the same key is answered 401',
    breaks: 'valid-key-accepted',
    alter: changeResponses((parts) => {
      const suspected = new WeakSet<KeyRecord>();
      return (response, request) => {
        const key = keyOf(parts, request);
        if (key === undefined) {
          return response;
        }
        const isRefused = suspected.delete(key);
        if (response.status === 400) {
          suspected.add(key);
        }
        return isRefused && response.status !== 429 ? withStatus(response, 401) : response;
      };
    }),
  },
];
