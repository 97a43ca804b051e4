import type { Alteration } from '../alterations/alteration.ts';
import {
  admitAlso,
  admitAnyKey,
  admitKeysLike,
  admitStrangers,
  admitWithoutKey,
  rememberKey,
  changeAuthentication,
} from '../alterations/authentication.ts';
import { credentialsOf, everyNth, keyOf, namesOneOf, tokenOf, stateOfEach } from '../alterations/requests.ts';
import { changeResponses, setHeaderWhere, withStatus, dropConnections } from '../alterations/responses.ts';
import type { RoutedOperation } from '../service/router.ts';
import { type Fault, breaking, hangsAfter, leavesBodyAfter } from './fault.ts';
import { answerError } from '../service/answer.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection } from '../service/messages.ts';

function answerStrangers(status: number, operations: readonly RoutedOperation[]): Alteration {
  return changeResponses((response, request, parts) => {
    const isStranger = keyOf(parts, request) === undefined;
    return isStranger && namesOneOf(parts, request, operations) ? withStatus(response, status) : response;
  });
}

/**
 * Takes a key out of credentials that are not `Bearer KEY`.
 * @param read finds the key in the value of the Authorization field
 */
function admitCredentials(read: (credentials: string) => string | undefined): Alteration {
  return admitAlso((request, _reason, { keys }) => {
    const key = read(credentialsOf(request) ?? '');
    return key === undefined ? undefined : keys.find(key);
  });
}

function afterScheme(pattern: RegExp): (credentials: string) => string | undefined {
  return (credentials) => pattern.exec(credentials)?.[1];
}

/** User name of Basic credentials (RFC 7617, section 2). */
function readUserName(credentials: string): string | undefined {
  const encoded = /^basic +(\S+)$/i.exec(credentials)?.[1];
  return encoded === undefined ? undefined : /^([^:]*):/.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}

const isTwelfth = everyNth(12);

function admitUnknown(isAdmitted: (token: string) => boolean): Alteration {
  return admitStrangers((request) => {
    const token = tokenOf(request);
    return token !== undefined && isAdmitted(token);
  });
}

/** Whether a key matches a pattern in which an underscore stands for any character, as in SQL. */
function isLike(key: string, pattern: string): boolean {
  return (
    key.length === pattern.length &&
    Array.from(pattern).every((character, index) => character === '_' || character === key.charAt(index))
  );
}

function decoded(token: string): string {
  return token.replaceAll(/%(?<digits>[0-9a-f]{2})/gi, (_match, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

const SHORTEST_PART = 4;

function withoutPunctuation(text: string): string {
  return text.replace(/[^a-z0-9]+$/i, '');
}

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

export const AUTHENTICATION_FAULTS: readonly Fault[] = [
  ...breaking('every-operation-authenticates', {
    'pet-without-key': {
      title: 'GET /pets/{petId} needs no key',
      alter: admitWithoutKey(['getPet']),
    },
    'orders-with-unknown-key': {
      title: 'GET /store/orders accepts any key',
      alter: admitAnyKey(['listOrders']),
    },
    'query-without-key': {
      title: 'A request with a query string needs no key',
      excludes: ['query parameters'],
      alter: admitStrangers(({ target }) => target.includes('?')),
    },
    'trailing-slash-without-key': {
      title: 'A path with a trailing slash needs no key',
      excludes: ['trailing-slashes-404'],
      alter: admitStrangers(({ target }) => /\/(?:\?|$)/.test(target)),
    },
    'pet-hidden-without-key': {
      title: 'GET /pets/{petId} without a valid key is answered 404',
      alter: answerStrangers(404, ['getPet']),
    },
  }),
  ...breaking('www-authenticate', {
    'challenge-empty': {
      title: 'WWW-Authenticate on a 401 is empty',
      excludes: ['challenge of a 401'],
      alter: setHeaderWhere(({ status }) => status === 401, 'WWW-Authenticate', ''),
    },
  }),
  ...breaking('bearer-scheme', {
    'basic-user-name': {
      title: 'A key is accepted as the user name of Basic authentication',
      alter: admitCredentials(readUserName),
    },
    'any-scheme': {
      title: 'A key is accepted under any scheme',
      alter: admitCredentials(afterScheme(/^\S+ +(\S+)$/)),
    },
    'scheme-with-prefix-bearer': {
      title: 'A scheme that begins with Bearer is accepted as Bearer',
      alter: admitCredentials(afterScheme(/^bearer\S* +(\S+)$/i)),
    },
    'scheme-anywhere-before-the-key': {
      title: 'Bearer is accepted anywhere in front of the key',
      alter: admitCredentials(afterScheme(/bearer +(\S+)$/i)),
    },
    'scheme-with-suffix-bearer': {
      title: 'A scheme that ends with Bearer is accepted as Bearer',
      alter: admitCredentials(afterScheme(/^\S+bearer +(\S+)$/i)),
    },
    'scheme-behind-another': {
      title: 'Bearer is accepted after another scheme',
      alter: admitCredentials(afterScheme(/^\S+ +bearer +(\S+)$/i)),
    },
    'scheme-not-compared-beside-bearer': {
      title: 'The last word is taken as the key if the field contains the word Bearer',
      alter: admitCredentials((credentials) =>
        credentials.toLowerCase().includes('bearer') ? /(\S+)$/.exec(credentials)?.[1] : undefined,
      ),
    },
    'scheme-next-to-key': {
      title: 'A key is accepted directly after the word Bearer, without a space',
      alter: admitCredentials(afterScheme(/^bearer(\S+)$/i)),
    },
    'bare-key': {
      title: 'A key is accepted without a scheme',
      alter: admitCredentials(afterScheme(/^(\S+)$/)),
    },
  }),
  ...breaking('unknown-key', {
    'update-with-unknown-key': {
      title: 'An update accepts any key',
      alter: admitAnyKey(['updateInventory']),
    },
    'connection-stays-signed-in-with-any-key': {
      title: 'Once a connection has carried a valid key, it accepts any key',
      excludes: ['connections'],
      alter: rememberKey((reason) => reason === 'invalid'),
    },
    'key-backwards': {
      title: 'A key is accepted if it is written backwards',
      alter: admitKeysLike((key, token) => token.split('').toReversed().join('') === key),
    },
    'hyphens-ignored': {
      title: 'A key is accepted without its hyphens',
      excludes: ['form of issued keys'],
      alter: admitKeysLike((key, token) => key.replaceAll('-', '') === token.replaceAll('-', '')),
    },
    'last-character-ignored': {
      title: 'The last character of a key is not compared',
      alter: admitKeysLike((key, token) => key.length === token.length && key.startsWith(token.slice(0, -1))),
    },
    'wildcard-alone-accepted': {
      title: 'A per cent sign or an asterisk alone stands for any key',
      alter: admitKeysLike((_key, token) => token === '%' || token === '*'),
    },
    'underscore-as-wildcard': {
      title: 'An underscore in a token stands for any character of a key',
      alter: admitKeysLike((key, token) => isLike(key, token)),
    },
    'token-percent-decoded': {
      title: 'A token is percent-decoded before it is compared',
      alter: admitKeysLike((key, token) => token.includes('%') && decoded(token) === key),
    },
    'token-base64-decoded': {
      title: 'A token that is a key in base64 is accepted',
      alter: admitKeysLike((key, token) => Buffer.from(token, 'base64').toString() === key),
    },
    'name-of-nothing-as-key': {
      title: 'The word undefined is accepted as a key',
      alter: admitUnknown((token) => token === 'undefined'),
    },
    'unknown-key-of-right-shape': {
      title: 'An unknown key is accepted as a Free key if it looks like one',
      excludes: ['form of issued keys'],
      alter: admitUnknown((token) => /^(?:free|pro|business|enterprise)-[\w-]{16,}$/.test(token)),
    },
    'unknown-key-once-in-twelve': {
      title: 'One in twelve requests with an unknown key is accepted',
      alter: admitStrangers((_request, reason, parts) => reason === 'invalid' && isTwelfth(parts)),
    },
  }),
  ...breaking('altered-key', {
    'key-in-any-letter-case': {
      title: 'A key in another letter-case is accepted',
      excludes: ['keys-of-digits'],
      alter: admitKeysLike((key, token) => key.toLowerCase() === token.toLowerCase()),
    },
    'key-prefix': {
      title: 'The first characters of a key are accepted as the key',
      alter: admitKeysLike((key, token) => token.length >= SHORTEST_PART && key.startsWith(token)),
    },
    'key-part': {
      title: 'Any part of a key is accepted as the key, except its beginning',
      alter: admitKeysLike((key, token) => token.length >= SHORTEST_PART && key.indexOf(token) > 0),
    },
    'key-extension': {
      title: 'A key followed by more characters is accepted',
      alter: admitKeysLike((key, token) => token.startsWith(key)),
    },
    'key-at-the-end-of-a-token': {
      title: 'A token that ends with a key is accepted',
      alter: admitKeysLike((key, token) => token.endsWith(key)),
    },
    'key-of-twenty-characters': {
      title: 'Only the first twenty characters of a key are compared',
      excludes: ['short-keys'],
      alter: admitKeysLike((key, token) => key.slice(0, 20) === token.slice(0, 20)),
    },
    'trailing-punctuation-ignored': {
      title: 'Punctuation at the end of a key is ignored',
      alter: admitKeysLike((key, token) => withoutPunctuation(token) === withoutPunctuation(key)),
    },
  }),
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
