import type { ErrorBody } from '../../contract/inventory.ts';
import { combine } from '../alterations/alteration.ts';
import { changeRepresentation } from '../alterations/inventory.ts';
import {
  changeBannedAnswers,
  changeErrorObjects,
  letAnswersChooseMediaType,
  withContent,
} from '../alterations/answers.ts';
import type { Answer } from '../service/answer.ts';
import type { Freedom, Variant } from './variant.ts';

function errorTexts(
  id: string,
  title: string,
  freedom: Freedom,
  change: (error: ErrorBody) => ErrorBody,
): Variant {
  return {
    id,
    title,
    freedom,
    alter: changeRepresentation(({ error }) => ({ error: (given) => error(change(given)) })),
  };
}

const ODD_MESSAGE = 'Anfrage „ungültig“ – 数量 ☹ 🐾 "quoted" \\ back\nnew line\ttab \u0000 \u2028 </script>';

interface Content {
  readonly id: string;
  readonly described: string;
  readonly mediaType: string;
  readonly write: (answer: Answer) => string;
}

const EMPTY: Content = { id: 'empty', described: 'is empty', mediaType: '', write: () => '' };

const TEXT: Content = {
  id: 'text',
  described: 'is plain text',
  mediaType: 'text/plain; charset=utf-8',
  write: ({ status }) => `${status}: slow down\n`,
};

const HTML: Content = {
  id: 'html',
  described: 'is an HTML page',
  mediaType: 'text/html',
  write: ({ status }) => `<!doctype html><title>${status}</title><h1>Too many requests</h1>\n`,
};

const OTHER_JSON: Content = {
  id: 'other-json',
  described: 'is JSON, but not an Error object',
  mediaType: 'application/json',
  write: ({ status }) => JSON.stringify({ error: { reason: 'rate', http: `${status}` }, retry: true }),
};

export const ERRORS_VARIANTS: readonly Variant[] = [
  {
    id: 'errors-with-nested-members',
    title: 'Errors have further, nested members',
    freedom: 'further members of errors',
    alter: changeErrorObjects((error) => ({
      details: [{ field: 'quantity', status: 'invalid', code: 5 }],
      request: { path: { petId: '1' } },
      ...error,
    })),
  },
  errorTexts('same-code-for-all-errors', 'All errors have the same code', 'error codes', (error) => ({
    ...error,
    code: 'error',
  })),
  errorTexts(
    'messages-with-odd-characters',
    'Error messages contain quotes, control characters and emoji',
    'error messages',
    (error) => ({
      ...error,
      message: ODD_MESSAGE,
    }),
  ),
  ...[EMPTY, HTML, OTHER_JSON].map(({ id, described, mediaType, write }): Variant => ({
    id: `429-body-${id}`,
    title: `The body of a 429 at a limit ${described}`,
    freedom: 'body of a 429',
    alter: {
      parts: letAnswersChooseMediaType,
      answers: ({ limited }) => ({
        limited: (...given) => {
          const answer = limited(...given);
          return withContent(answer, mediaType, write(answer));
        },
      }),
    },
  })),
  ...[EMPTY, TEXT].map(({ id, described, mediaType, write }): Variant => ({
    id: `ban-body-${id}`,
    title: `The body of an answer to a banned key ${described}`,
    freedom: 'body of a ban',
    alter: combine(
      { parts: letAnswersChooseMediaType },
      changeBannedAnswers((answer) => withContent(answer, mediaType, write(answer))),
    ),
  })),
];
