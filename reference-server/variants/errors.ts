import type { ErrorBody } from '../../contract/inventory.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import { changeRepresentation } from '../alterations/inventory.ts';
import {
  changeBannedAnswers,
  changeErrorObjects,
  letAnswersChooseMediaType,
  withContent,
} from '../alterations/answers.ts';
import type { Answer } from '../service/answer.ts';
import { permitting } from './variant.ts';

function errorTexts(change: (error: ErrorBody) => ErrorBody): Alteration {
  return changeRepresentation(({ error }) => ({ error: (given) => error(change(given)) }));
}

const ODD_MESSAGE = 'Anfrage „ungültig“ – 数量 ☹ 🐾 "quoted" \\ back\nnew line\ttab \u0000 \u2028 </script>';

/** What stands in place of an Error object: its media type, and how it is written. */
type Content = readonly [mediaType: string, write: (answer: Answer) => string];

const EMPTY: Content = ['', () => ''];

const TEXT: Content = ['text/plain; charset=utf-8', ({ status }) => `${status}: slow down\n`];

const HTML: Content = [
  'text/html',
  ({ status }) => `<!doctype html><title>${status}</title><h1>Too many requests</h1>\n`,
];

const OTHER_JSON: Content = [
  'application/json',
  ({ status }) => JSON.stringify({ error: { reason: 'rate', http: `${status}` }, retry: true }),
];

function limitedWith([mediaType, write]: Content): Alteration {
  return {
    parts: letAnswersChooseMediaType,
    answers: ({ limited }) => ({
      limited: (...given) => {
        const answer = limited(...given);
        return withContent(answer, mediaType, write(answer));
      },
    }),
  };
}

function bannedWith([mediaType, write]: Content): Alteration {
  return combine(
    { parts: letAnswersChooseMediaType },
    changeBannedAnswers((answer) => withContent(answer, mediaType, write(answer))),
  );
}

export const ERRORS_VARIANTS = permitting({
  'body of a 429': {
    '429-body-empty': ['The body of a 429 at a limit is empty', limitedWith(EMPTY)],
    '429-body-html': ['The body of a 429 at a limit is an HTML page', limitedWith(HTML)],
    '429-body-other-json': [
      'The body of a 429 at a limit is JSON, but not an Error object',
      limitedWith(OTHER_JSON),
    ],
  },
  'body of a ban': {
    'ban-body-empty': ['The body of an answer to a banned key is empty', bannedWith(EMPTY)],
    'ban-body-text': ['The body of an answer to a banned key is plain text', bannedWith(TEXT)],
  },
  'error codes': {
    'same-code-for-all-errors': [
      'All errors have the same code',
      errorTexts((error) => ({ ...error, code: 'error' })),
    ],
  },
  'error messages': {
    'messages-with-odd-characters': [
      'Error messages contain quotes, control characters and emoji',
      errorTexts((error) => ({ ...error, message: ODD_MESSAGE })),
    ],
  },
  'further members of errors': {
    'errors-with-nested-members': [
      'Errors have further, nested members',
      changeErrorObjects((error) => ({
        details: [{ field: 'quantity', status: 'invalid', code: 5 }],
        request: { path: { petId: '1' } },
        ...error,
      })),
    ],
  },
});
