import { DAY_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { STRANGER, changeAuthentication, refuseAlso, withIssuedKeys } from '../alterations/authentication.ts';
import { everyNth, keyOf, namesOneOf } from '../alterations/requests.ts';
import { answerWhere, dropConnections } from '../alterations/responses.ts';
import { breaking } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection } from '../service/messages.ts';
import type { RoutedOperation } from '../service/router.ts';

const isTwentieth = everyNth(20);

/** The connection on which a key was used first. */
const homes = new WeakMap<KeyRecord, Connection>();

/** When each key was used last, in Unix seconds. */
const lastUse = new WeakMap<KeyRecord, number>();

const barred = new WeakSet<Connection>();

/** Keys whose last request was answered 400. */
const suspected = new WeakSet<KeyRecord>();

/** Refuses a key whose field has a name that does not fit. */
function refuseNamed(fits: (name: string) => boolean): Alteration {
  return refuseAlso(
    ({ headers }) =>
      !headers.some((name, index) => index % 2 === 0 && /^authorization$/i.test(name) && fits(name)),
  );
}

function refuseOn(operations: readonly RoutedOperation[]): Alteration {
  return refuseAlso((request, _key, parts) => namesOneOf(parts, request, operations));
}

export const VALID_KEY_ACCEPTED_FAULTS = breaking('valid-key-accepted', {
  'authorization-in-small-letters-overlooked': [
    'A key in a field named authorization is answered 401',
    refuseNamed((name) => name !== 'authorization'),
  ],
  'authorization-in-capitals-overlooked': [
    'A key in a field named AUTHORIZATION is answered 401',
    refuseNamed((name) => name !== 'AUTHORIZATION'),
  ],
  'valid-key-refused-once-in-twenty': [
    'One in twenty requests with a valid key is answered 401',
    refuseAlso((_request, _key, parts) => isTwentieth(parts)),
  ],
  'key-idle-for-a-month-refused': [
    'A key that was not used for thirty days is answered 401',
    refuseAlso((_request, key, { clock }) => {
      const before = lastUse.get(key) ?? clock.now();
      lastUse.set(key, clock.now());
      return clock.now() - before > 30 * DAY_SECONDS;
    }),
  ],
  'issued-key-refused-at-first': [
    'A newly issued key is answered 401 at its first request',
    withIssuedKeys((issued) => refuseAlso((_request, key) => issued.delete(key))),
  ],
  'orders-dropped': [
    'GET /store/orders is answered by closing the connection',
    dropConnections((request, parts) => namesOneOf(parts, request, ['listOrders']), 'goes on'),
  ],
  'issued-keys-refused': [
    'Issued keys are answered 401',
    withIssuedKeys((issued) => refuseAlso((_request, key) => issued.has(key))),
  ],
  'issued-keys-forbidden': [
    'Issued keys are answered 403',
    withIssuedKeys((issued) =>
      answerWhere(403, (_response, request, parts) => issued.has(keyOf(parts, request) ?? STRANGER)),
    ),
  ],
  'valid-key-bound-to-a-connection': [
    'A key works only on the first connection on which it was used',
    refuseAlso(({ connection }, key) => {
      const home = homes.get(key) ?? connection;
      homes.set(key, home);
      return home !== connection;
    }),
  ],
  'valid-key-refused-for-pets': ['GET /pets/{petId} answers 401 to a valid key', refuseOn(['getPet'])],
  'enterprise-key-refused': [
    'An Enterprise key is answered 401',
    refuseAlso((_request, { plan }) => plan === 'enterprise'),
  ],
  'valid-key-refused-after-a-bad-key': [
    'After a bad key a connection answers 401 to every key',
    changeAuthentication(({ connection }, key) => {
      if (key === 'invalid') {
        barred.add(connection);
      }
      return barred.has(connection) && key !== 'missing' ? 'invalid' : key;
    }),
    { excludes: ['connection-closed-after-each-response'] },
  ],
  'valid-key-refused-after-a-bad-request': [
    'The request that follows a 400 of the same key is answered 401',
    answerWhere(401, ({ status }, request, parts) => {
      const key = keyOf(parts, request) ?? STRANGER;
      const isRefused = suspected.delete(key);
      if (key !== STRANGER && status === 400) {
        suspected.add(key);
      }
      return isRefused && status !== 429;
    }),
  ],
});
