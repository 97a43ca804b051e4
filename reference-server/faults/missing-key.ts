import type { Alteration } from '../alterations/alteration.ts';
import {
  admitStrangers,
  admitWithoutKey,
  changeAuthentication,
  rememberKey,
} from '../alterations/authentication.ts';
import { credentialsOf, everyNth, stateOfEach } from '../alterations/requests.ts';
import { dropConnections } from '../alterations/responses.ts';
import { hangsAfter, leavesBodyAfter, type Fault, breaking } from './fault.ts';
import { answerError } from '../service/answer.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection } from '../service/messages.ts';

const isTenth = everyNth(10);

const seen = new WeakSet<Connection>();

const lastServed = stateOfEach((): { key: KeyRecord | undefined } => ({ key: undefined }));

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
  ...breaking('missing-key', {
    'list-without-key': {
      title: 'GET /inventory needs no key',
      alter: admitWithoutKey(['listInventory']),
    },
    'update-without-key': {
      title: 'An update needs no key',
      alter: admitWithoutKey(['updateInventory']),
    },
    'missing-key-once-in-ten': {
      title: 'One in ten requests without a key is accepted',
      alter: admitStrangers((_request, reason, parts) => reason === 'missing' && isTenth(parts)),
    },
    'first-request-without-key': {
      title: 'The first request of a connection needs no key',
      alter: admitStrangers(({ connection }, reason) => {
        const isFirst = !seen.has(connection);
        seen.add(connection);
        return isFirst && reason === 'missing';
      }),
    },
    'empty-token': {
      title: 'The scheme Bearer without a token is accepted',
      alter: admitStrangers((request) => /^bearer *$/i.test(credentialsOf(request) ?? '-')),
    },
    'missing-key-forbidden': {
      title: 'A request without a key is answered 403',
      alter: answerMissingKey(403),
    },
    'missing-key-success': {
      title: 'A request without a key is answered 200 with an Error object',
      alter: answerMissingKey(200),
    },
    'connection-stays-signed-in-without-key': {
      title: 'Once a connection has carried a valid key, it needs none',
      excludes: ['connections'],
      alter: rememberKey((reason) => reason === 'missing'),
    },
    'key-of-last-request': {
      title: 'A request without a key is accepted as one with the key that was served last',
      alter: changeAuthentication((_request, key, parts) => {
        const last = lastServed(parts);
        last.key = key === 'missing' || key === 'invalid' ? last.key : key;
        return key === 'missing' ? (last.key ?? key) : key;
      }),
    },
    'missing-key-closes-the-connection': {
      title: 'A request without Authorization closes the connection without a response',
      alter: dropConnections(
        (request, { route }) =>
          credentialsOf(request) === undefined && route(request.method, request.target).kind === 'operation',
        'goes on',
      ),
    },
  }),
];
