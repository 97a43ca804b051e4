import { setTimeout as delay } from 'node:timers/promises';

import { isJsonObject, stringifyJson, type JsonValue } from '../../../contract/json/index.ts';
import {
  type Alteration,
  changeResponses,
  spellResponses,
  withHeader,
  withJson,
  codeWhereAllowed,
} from '../../../reference-server/index.ts';
import type { ServiceTrait } from '../../../suites/certify/index.ts';

const SLOW_MILLISECONDS = 2_500;

/** What the traits of a scenario change in the reference server. */
export const TRAITS: Readonly<Record<ServiceTrait, Alteration>> = {
  'extra-members': changeResponses((response) => withJson(response, withFurtherMembers)),
  'json-spelled-otherwise': changeResponses((response) =>
    withJson(response, (value) => value, spellOtherwise),
  ),
  'extra-headers': changeResponses((response) => ({
    ...response,
    headers: [
      ...response.headers,
      'X-Request-Id',
      '7f3a',
      'Vary',
      'Accept',
      'Vary',
      'Authorization',
      'X-Empty',
      '',
    ],
  })),
  'lower-case-header-names': renameHeaders((name) => name.toLowerCase()),
  'upper-case-header-names': renameHeaders((name) => name.toUpperCase()),
  // As it has announced otherwise, a client learns of it from the connection alone.
  'closes-connections': {
    ...changeResponses((response) =>
      withHeader(withHeader(response, 'Connection', 'keep-alive'), 'Keep-Alive', 'timeout=60'),
    ),
    options: (options) => ({ ...options, keepAliveMilliseconds: 1 }),
  },
  'answers-nothing': {
    service: (service) => ({
      ...service,
      respond: ({ connection }) => {
        connection.drop();
        return new Promise(() => {});
      },
    }),
  },
  slow: {
    service: (service) => ({
      ...service,
      respond: async (request) => {
        const response = await service.respond(request);
        await delay(SLOW_MILLISECONDS);
        return response;
      },
    }),
  },
  charset: changeResponses((response) =>
    withHeader(response, 'Content-Type', 'Application/JSON; charset=UTF-8'),
  ),
  gzip: codeWhereAllowed('gzip'),
  'gzip-in-capitals': codeWhereAllowed('gzip', 'GZIP'),
  deflate: codeWhereAllowed('deflate'),
  br: codeWhereAllowed('br'),
  zstd: codeWhereAllowed('zstd'),
  chunked: spellResponses('in-chunks'),
  'chunk-extensions-and-trailer': spellResponses('chunk-extensions-and-trailer'),
  'chunk-sizes-in-capitals': spellResponses('chunk-sizes-in-capitals'),
  'no-space-after-colon': spellResponses('no-space-after-colon'),
  'no-reason-phrase': spellResponses('no-reason-phrase'),
  'another-reason-phrase': spellResponses('another-reason-phrase'),
  'header-names-in-mixed-case': spellResponses('header-names-in-mixed-case'),
  'header-in-small-packets': spellResponses('header-in-small-packets'),
  'cut-within-line-ends': spellResponses('cut-within-line-ends'),
  'informational-responses': spellResponses('informational-responses'),
  'white-space-around-values': spellResponses('white-space-around-values'),
  'ends-with-connection': spellResponses('ends-with-connection'),
  'breaks-off': spellResponses('breaks-off'),
  'nothing-remains': changeResponses((response) => withHeader(response, 'X-RateLimit-Remaining', '0')),
};

function renameHeaders(rename: (name: string) => string): Alteration {
  return changeResponses((response) => ({
    ...response,
    headers: response.headers.map((text, index) => (index % 2 === 0 ? rename(text) : text)),
  }));
}

/**
 * With white space, and as escapes the first letter of each text and most of what is beyond ASCII; names are left as they are.
 * What is left beyond ASCII tells a client that loses escapes from one whose stdout takes only ASCII.
 */
function spellOtherwise(value: JsonValue): string {
  const escaped = stringifyJson(value, 2).replaceAll(
    /(?<=: ")[A-Za-z]|[^\0-\xEF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${escaped}\n`;
}

/** Other interfaces tell of an error by these. */
const OTHER_MEMBERS_OF_ITEMS = { code: 'A-7', message: 'Counted on Monday.', error: null, errors: [] };
/** Other interfaces put what they say of an error there. */
const OTHER_MEMBERS_OF_ERRORS = {
  title: 'Not there',
  detail: 'Nobody has seen it.',
  description: 'It may have been sold.',
  errors: [{ code: 'gone', message: 'It is gone.' }],
};

/** Adds members that the specification does not know, also nested ones, to every object. */
function withFurtherMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map(withFurtherMembers);
  }
  return isJsonObject(value)
    ? {
        id: null,
        isReserved: true,
        isRecalled: false,
        ...value,
        ...('petId' in value ? OTHER_MEMBERS_OF_ITEMS : OTHER_MEMBERS_OF_ERRORS),
        warehouse: { aisle: 7, height: -0.5, volume: 1e21, shelves: ['a', 'b'] },
        updatedAt: '2026-01-01T00:00:00Z',
      }
    : value;
}
