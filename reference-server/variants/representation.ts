import { createHash } from 'node:crypto';
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeErrorObjects } from '../alterations/answers.ts';
import { changeItems } from '../alterations/inventory.ts';
import { answerRanges, changeEveryResponse, tagLists } from '../alterations/responses.ts';
import { type Answer, answerWith } from '../service/answer.ts';
import { headerOf, withHeader } from '../service/messages.ts';
import { permitting } from './variant.ts';

/** Spells JSON contents otherwise; each answer once, since a list is answered many times. */
function spelling(spell: (value: JsonValue) => string): Alteration {
  return {
    parts: ({ render }) => {
      const spelled = new WeakMap<Answer, Answer>();
      return {
        render: (answer, limit, now) => {
          const isJson = (headerOf(answer, 'Content-Type') ?? 'application/json') === 'application/json';
          if (!isJson || answer.body.length === 0) {
            return render(answer, limit, now);
          }
          const known = spelled.get(answer);
          const value = known === undefined ? parseJson(Buffer.from(answer.body).toString()) : null;
          const other = known ?? answerWith(answer.status, spell(value), answer.headers);
          spelled.set(answer, other);
          return render(other, limit, now);
        },
      };
    },
  };
}

function escapeStrings(text: string, pattern: RegExp): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (string) =>
    string.replaceAll(/\\.|./gsu, (part) =>
      pattern.test(part)
        ? [...Array(part.length).keys()]
            .map((at) => `\\u${part.charCodeAt(at).toString(16).padStart(4, '0').toUpperCase()}`)
            .join('')
        : part,
    ),
  );
}

function mediaType(value: string): Alteration {
  return changeEveryResponse((response) =>
    headerOf(response, 'Content-Type') === 'application/json'
      ? withHeader(response, 'Content-Type', value)
      : response,
  );
}

function reversed(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).toReversed());
}

export const REPRESENTATION_VARIANTS = permitting({
  'tag of a list': {
    'list-tagged-by-its-content': [
      'The list has a strong ETag, and is answered 304 to it as long as nothing has changed',
      tagLists((body) => createHash('sha1').update(body).digest('hex')),
    ],
  },
  'ranges of a list': {
    'list-in-ranges': [
      'A part of the list is answered 206 to those who ask for its first bytes',
      answerRanges,
    ],
  },
  'order of members': {
    'members-reversed': [
      'Members of items and errors come in the reverse order',
      {
        parts: (parts) => {
          const withItems = { ...parts, ...changeItems(reversed).parts?.(parts) };
          return {
            representation: {
              ...withItems.representation,
              ...changeErrorObjects(reversed).parts?.(withItems).representation,
            },
          };
        },
      },
    ],
  },
  'json text': {
    'white-space-around': [
      'JSON is indented by tabs, lines end in CR LF, and white space stands before and after it',
      spelling((value) => ` \t\r\n${stringifyJson(value, 1).replaceAll('\n', '\r\n\t')}\r\n \t`),
    ],
    'escaped-letters': [
      'Letters in JSON strings and names are escaped',
      spelling((value) => escapeStrings(stringifyJson(value), /^[aeiou]$/)),
    ],
  },
  'media type': {
    'charset-parameter': [
      'Content-Type has a charset parameter',
      mediaType('application/json; charset=utf-8'),
    ],
    'media-type-in-capitals': ['The media type is in mixed letter-case', mediaType('Application/JSON')],
  },
});
