import type { Answer } from '../service/answer.ts';
import { letAnswersChooseMediaType, withContent } from '../alterations/answers.ts';
import type { Variant } from './variant.ts';

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
  described: 'is JSON, but no Error object',
  mediaType: 'application/json',
  write: ({ status }) => JSON.stringify({ error: { reason: 'rate', http: `${status}` }, retry: true }),
};

export const REFUSAL_BODY_VARIANTS: readonly Variant[] = [
  ...[EMPTY, HTML, OTHER_JSON].map(({ id, described, mediaType, write }): Variant => ({
    id: `429-body-${id}`,
    title: `The body of a 429 by a limit ${described}`,
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
    alter: {
      parts: letAnswersChooseMediaType,
      answers: ({ banned }) => ({
        banned: (...given) => {
          const answer = banned(...given);
          return withContent(answer, mediaType, write(answer));
        },
      }),
    },
  })),
];
