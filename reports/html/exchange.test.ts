import { expect, test } from 'vitest';
import type { RecordedExchange } from '../../contract/verdict.ts';
import { exchangeHtml } from './exchange.ts';
import { renderHtmlTemplate } from './template.ts';

function answeredWith(body: string): RecordedExchange {
  return {
    request: { method: 'GET', url: 'http://127.0.0.1:8080/v1/inventory', headers: [], body: null },
    response: {
      status: 200,
      headers: [['X-RateLimit-Reset', '60']],
      body,
      bodyBytes: Buffer.byteLength(body),
    },
    sentAt: '2026-11-02T09:30:01.250Z',
    durationMilliseconds: 3.4,
  };
}

function bodyOf(page: string): string {
  const [, block = ''] = page.split('data-copy="the body of the response"');
  return block;
}

/** What the script of the page copies: the text of all `pre` elements, one after the other. */
function copied(page: string): string {
  return [...bodyOf(page).matchAll(/<pre>(.*?)<\/pre>/gs)]
    .map(([, markup = '']) =>
      markup
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<'),
    )
    .join('');
}

const PETS = Array.from({ length: 60 }, (_, index) => `{"petId":${index + 100},"quantity":3}`);
const LIST = `[${PETS.join(', ')}]`;

test('a long body is folded around what the message cites, and is still what came', () => {
  const page = renderHtmlTemplate(exchangeHtml(answeredWith(LIST), 'Item 31 of 60: petId 130 is not known.'));
  expect(page.match(/<mark>[^<]*<\/mark>/g)).toEqual(['<mark>&quot;petId&quot;:130</mark>']);
  expect(bodyOf(page).match(/\d+ more lines/g)).toEqual(['27 more lines', '26 more lines']);
  expect(copied(page)).toBe(LIST);
});

test('a long body of which nothing is cited shows its beginning', () => {
  const text = Array.from({ length: 40 }, (_, index) => `<p>line ${index}`).join('\n');
  const page = renderHtmlTemplate(exchangeHtml(answeredWith(text), 'The list is not a JSON array.'));
  expect(page).not.toContain('<mark>');
  expect(bodyOf(page)).toContain('30 more lines');
  expect(copied(page).replaceAll('&gt;', '>')).toBe(text);
});

test('a header field that the message names is marked', () => {
  const page = renderHtmlTemplate(exchangeHtml(answeredWith(''), 'X-RateLimit-Reset is 60.'));
  expect(page).toContain('<mark>X-RateLimit-Reset: 60</mark>');
});
