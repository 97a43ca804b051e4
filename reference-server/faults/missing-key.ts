import type { Alteration } from '../alterations/alteration.ts';
import {
  STRANGER,
  admitAlso,
  admitWithoutKey,
  changeAuthentication,
  rememberKey,
} from '../alterations/authentication.ts';
import { credentialsOf, everyNth } from '../alterations/requests.ts';
import { dropConnections } from '../alterations/responses.ts';
import { hangsAfter, leavesBodyAfter, type Fault } from './fault.ts';
import { answerError } from '../service/answer.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection } from '../service/messages.ts';

/** Answers requests without a key with another status than 401. */
function answerMissingKey(status: number): Alteration {
  return {
    answers: ({ unauthorized }, { representation }) => ({
      unauthorized: (reason) =>
        reason === 'missing'
          ? answerError(representation, { code: 'no_access', message: 'No access.', status })
          : unauthorized(reason),
    }),
  };
}

export const MISSING_KEY_FAULTS: readonly Fault[] = [
  hangsAfter(401, 'missing-key'),
  leavesBodyAfter(401, 'missing-key'),
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
    id: 'connection-stays-signed-in-without-key',
    title: 'Once a connection has carried a valid key, it needs none',
    breaks: 'missing-key',
    excludes: ['connections'],
    alter: rememberKey((reason) => reason === 'missing'),
  },
  {
    id: 'key-of-last-request',
    title: 'A request without a key is accepted as one with the key that was served last',
    breaks: 'missing-key',
    alter: changeAuthentication(() => {
      let last: KeyRecord | undefined;
      return (_request, key) => {
        last = key === 'missing' || key === 'invalid' ? last : key;
        return key === 'missing' ? (last ?? key) : key;
      };
    }),
  },
  {
    id: 'missing-key-closes-the-connection',
    title: 'A request without Authorization closes the connection without a response',
    breaks: 'missing-key',
    alter: dropConnections(
      (request, { route }) =>
        credentialsOf(request) === undefined && route(request.method, request.target).kind === 'operation',
      'goes on',
    ),
  },
];
