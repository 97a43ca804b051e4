import type { Alteration } from '../alterations/alteration.ts';
import { answerInstead } from '../alterations/answers.ts';
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
import { answerWhere, setHeaderWhere, dropConnections } from '../alterations/responses.ts';
import type { RoutedOperation } from '../service/router.ts';
import { type Fault, breaking, hangsAfter, leavesBodyAfter } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import { headerOf, type Connection } from '../service/messages.ts';

function answerStrangers(status: number, operations: readonly RoutedOperation[]): Alteration {
  return answerWhere(
    status,
    (_response, request, parts) =>
      keyOf(parts, request) === undefined && namesOneOf(parts, request, operations),
  );
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

const asked = new WeakSet<Connection>();

const lastServed = stateOfEach((): { key: KeyRecord | undefined } => ({ key: undefined }));

/** Answers requests without a key with another status than 401. */
function answerMissingKey(status: number): Alteration {
  return {
    answers: ({ unauthorized }, parts) => ({
      unauthorized: (reason) => (reason === 'missing' ? answerInstead(status, parts) : unauthorized(reason)),
    }),
  };
}

export const AUTHENTICATION_FAULTS: readonly Fault[] = [
  ...breaking('every-operation-authenticates', {
    'pet-without-key': ['GET /pets/{petId} needs no key', admitWithoutKey(['getPet'])],
    'orders-with-unknown-key': ['GET /store/orders accepts any key', admitAnyKey(['listOrders'])],
    'query-without-key': [
      'A request with a query string needs no key',
      admitStrangers(({ target }) => target.includes('?')),
      { excludes: ['query parameters'] },
    ],
    'trailing-slash-without-key': [
      'A path with a trailing slash needs no key',
      admitStrangers(({ target }) => /\/(?:\?|$)/.test(target)),
      { excludes: ['trailing-slashes-404'] },
    ],
    'other-operations-with-a-slash-without-key': [
      'GET /pets/{petId}/ and GET /store/orders/ need no key',
      admitStrangers(({ target }) => /\/(?:pets|store)\/.*\/$/.test(target)),
      { excludes: ['trailing-slashes-404'] },
    ],
    'orders-with-a-query-without-key': [
      'GET /store/orders with a query string needs no key',
      admitStrangers(({ target }) => target.includes('/orders?')),
      { excludes: ['query parameters'] },
    ],
    'pet-hidden-without-key': [
      'GET /pets/{petId} without a valid key is answered 404',
      answerStrangers(404, ['getPet']),
    ],
  }),
  ...breaking('www-authenticate', {
    'challenge-empty': [
      'WWW-Authenticate on a 401 is empty',
      setHeaderWhere(({ status }) => status === 401, 'WWW-Authenticate', ''),
      { excludes: ['challenge of a 401'] },
    ],
  }),
  ...breaking('bearer-scheme', {
    'basic-user-name': [
      'A key is accepted as the user name of Basic authentication',
      admitCredentials(readUserName),
    ],
    'scheme-of-tokens': [
      'A key is accepted under the schemes OAuth, JWT and DPoP',
      admitCredentials(afterScheme(/^(?:oauth|jwt|dpop) +(\S+)$/i)),
    ],
    'any-scheme': ['A key is accepted under any scheme', admitCredentials(afterScheme(/^\S+ +(\S+)$/))],
    'scheme-with-prefix-bearer': [
      'A scheme that begins with Bearer is accepted as Bearer',
      admitCredentials(afterScheme(/^bearer\S* +(\S+)$/i)),
    ],
    'scheme-anywhere-before-the-key': [
      'Bearer is accepted anywhere in front of the key',
      admitCredentials(afterScheme(/bearer +(\S+)$/i)),
    ],
    'scheme-with-suffix-bearer': [
      'A scheme that ends with Bearer is accepted as Bearer',
      admitCredentials(afterScheme(/^\S+bearer +(\S+)$/i)),
    ],
    'scheme-behind-another': [
      'Bearer is accepted after another scheme',
      admitCredentials(afterScheme(/^\S+ +bearer +(\S+)$/i)),
    ],
    'scheme-not-compared-beside-bearer': [
      'The last word is taken as the key if the field contains the word Bearer',
      admitCredentials((credentials) =>
        credentials.toLowerCase().includes('bearer') ? /(\S+)$/.exec(credentials)?.[1] : undefined,
      ),
    ],
    'scheme-next-to-key': [
      'A key is accepted directly after the word Bearer, without a space',
      admitCredentials(afterScheme(/^bearer(\S+)$/i)),
    ],
    'bare-key': ['A key is accepted without a scheme', admitCredentials(afterScheme(/^(\S+)$/))],
  }),
  ...breaking('unknown-key', {
    'token-of-three-parts-answered-500': [
      'An unknown token with two full stops is answered 500',
      answerWhere(
        500,
        (_response, request, parts) =>
          keyOf(parts, request) === undefined && tokenOf(request)?.split('.').length === 3,
      ),
    ],
    'update-with-unknown-key': ['An update accepts any key', admitAnyKey(['updateInventory'])],
    'connection-stays-signed-in-with-any-key': [
      'Once a connection has carried a valid key, it accepts any key',
      rememberKey((reason) => reason === 'invalid'),
      { excludes: ['connections'] },
    ],
    'key-backwards': [
      'A key is accepted if it is written backwards',
      admitKeysLike((key, token) => token.split('').toReversed().join('') === key),
    ],
    'key-in-either-base64': [
      'A key is accepted in the other alphabet of base64',
      admitKeysLike((key, token) => key === token.replaceAll('+', '-').replaceAll('/', '_')),
      { excludes: ['form of issued keys'] },
    ],
    'hyphens-ignored': [
      'A key is accepted without its hyphens',
      admitKeysLike((key, token) => key.replaceAll('-', '') === token.replaceAll('-', '')),
      { excludes: ['form of issued keys'] },
    ],
    'word-behind-a-colon-ignored': [
      'A token ends at a colon',
      admitKeysLike((key, token) => token.startsWith(`${key}:`)),
    ],
    'last-character-ignored': [
      'The last character of a key is not compared',
      admitKeysLike((key, token) => key.length === token.length && key.startsWith(token.slice(0, -1))),
    ],
    'wildcard-alone-accepted': [
      'A per cent sign or an asterisk alone stands for any key',
      admitKeysLike((_key, token) => token === '%' || token === '*'),
    ],
    'underscore-as-wildcard': [
      'An underscore in a token stands for any character of a key',
      admitKeysLike((key, token) => isLike(key, token)),
    ],
    'token-percent-decoded': [
      'A token is percent-decoded before it is compared',
      admitKeysLike((key, token) => token.includes('%') && decoded(token) === key),
    ],
    'token-cut-at-an-encoded-nul': [
      'A token ends at a NUL that is percent-encoded',
      admitKeysLike((key, token) => token.startsWith(`${key}%00`)),
    ],
    'token-base64-decoded': [
      'A token that is a key in base64 is accepted',
      admitKeysLike((key, token) => Buffer.from(token, 'base64').toString() === key),
    ],
    'name-of-nothing-as-key': [
      'The word undefined is accepted as a key',
      admitUnknown((token) => token === 'undefined'),
    ],
    'unknown-key-of-right-shape': [
      'An unknown key is accepted as a Free key if it looks like one',
      admitUnknown((token) => /^(?:free|pro|business|enterprise)-[\w-]{16,}$/.test(token)),
      { excludes: ['form of issued keys'] },
    ],
    'unknown-key-once-in-twelve': [
      'One in twelve requests with an unknown key is accepted',
      admitStrangers((_request, reason, parts) => reason === 'invalid' && isTwelfth(parts)),
    ],
  }),
  ...breaking('altered-key', {
    'key-in-any-letter-case': [
      'A key in another letter-case is accepted',
      admitKeysLike((key, token) => key.toLowerCase() === token.toLowerCase()),
      { excludes: ['keys-of-digits'] },
    ],
    'key-prefix': [
      'The first characters of a key are accepted as the key',
      admitKeysLike((key, token) => token.length >= SHORTEST_PART && key.startsWith(token)),
    ],
    'key-part': [
      'Any part of a key is accepted as the key, except its beginning',
      admitKeysLike((key, token) => token.length >= SHORTEST_PART && key.indexOf(token) > 0),
    ],
    'key-extension': [
      'A key followed by more characters is accepted',
      admitKeysLike((key, token) => token.startsWith(key)),
    ],
    'key-at-the-end-of-a-token': [
      'A token that ends with a key is accepted',
      admitKeysLike((key, token) => token.endsWith(key)),
    ],
    'key-of-twenty-characters': [
      'Only the first twenty characters of a key are compared',
      admitKeysLike((key, token) => key.slice(0, 20) === token.slice(0, 20)),
      { excludes: ['short-keys'] },
    ],
    'trailing-punctuation-ignored': [
      'Punctuation at the end of a key is ignored',
      admitKeysLike((key, token) => withoutPunctuation(token) === withoutPunctuation(key)),
    ],
  }),
  hangsAfter(401, 'missing-key'),
  leavesBodyAfter(401, 'missing-key'),
  ...breaking('missing-key', {
    'field-of-a-framework-skips-the-key': [
      'A request with X-Middleware-Subrequest needs no key',
      admitStrangers((request) => headerOf(request, 'X-Middleware-Subrequest') !== undefined),
    ],
    'list-without-key': ['GET /inventory needs no key', admitWithoutKey(['listInventory'])],
    'update-without-key': ['An update needs no key', admitWithoutKey(['updateInventory'])],
    'inner-address-without-key': [
      'A request with X-Forwarded-For: 127.0.0.1 needs no key',
      admitStrangers((request) => headerOf(request, 'X-Forwarded-For') === '127.0.0.1'),
    ],
    'missing-key-once-in-ten': [
      'One in ten requests without a key is accepted',
      admitStrangers((_request, reason, parts) => reason === 'missing' && isTenth(parts)),
    ],
    'first-request-without-key': [
      'The first request of a connection needs no key',
      admitStrangers(({ connection }, reason) => {
        const isFirst = !seen.has(connection);
        seen.add(connection);
        return isFirst && reason === 'missing';
      }),
    ],
    'empty-token': [
      'The scheme Bearer without a token is accepted',
      admitStrangers((request) => /^bearer *$/i.test(credentialsOf(request) ?? '-')),
    ],
    'missing-key-forbidden': ['A request without a key is answered 403', answerMissingKey(403)],
    'missing-key-success': [
      'A request without a key is answered 200 with an Error object',
      answerMissingKey(200),
    ],
    'connection-stays-signed-in-without-key': [
      'Once a connection has carried a valid key, it needs none',
      rememberKey((reason) => reason === 'missing'),
      { excludes: ['connections'] },
    ],
    'connection-signed-in-by-options': [
      'Once a connection has carried a request with OPTIONS, it needs no key',
      admitStrangers(({ connection, method }, reason) => {
        if (method === 'OPTIONS') {
          asked.add(connection);
        }
        return method !== 'OPTIONS' && reason === 'missing' && asked.has(connection);
      }),
      { excludes: ['connections'] },
    ],
    'key-of-last-request': [
      'A request without a key is accepted as one with the key that was served last',
      changeAuthentication((_request, key, parts) => {
        const last = lastServed(parts);
        last.key = key === 'missing' || key === 'invalid' ? last.key : key;
        return key === 'missing' ? (last.key ?? key) : key;
      }),
    ],
    'missing-key-closes-the-connection': [
      'A request without Authorization closes the connection without a response',
      dropConnections(
        (request, { route }) =>
          credentialsOf(request) === undefined && route(request.method, request.target).kind === 'operation',
        'goes on',
      ),
    ],
  }),
];
