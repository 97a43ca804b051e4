import { expect, test, describe } from 'vitest';
import type { RecordedExchange } from '../../contract/verdict.ts';
import { exchangeHtml, citedMembers, citesField } from './exchange.ts';
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

function cited(message: string, lines: readonly string[]): readonly string[] {
  const stretches = citedMembers(message, lines);
  expect(stretches.map((line) => line.map(({ text }) => text).join(''))).toEqual(lines);
  return stretches.flat().flatMap(({ text, isCited }) => (isCited ? [text] : []));
}

describe('what a message cites', () => {
  test('is a member whose name and value it says', () => {
    const lines = ['{"petId":1,"quantity":null},', '{"petId":9223372036854776000,"quantity":4}'];
    expect(cited('Item 2 of 2: petId 9223372036854776000 does not fit int64.', lines)).toEqual([
      '"petId":9223372036854776000',
    ]);
    expect(cited('Item 1 of 2: quantity null is no integer.', lines)).toEqual(['"quantity":null']);
    expect(cited('On 404 code is 17, not a string.', ['{"code": 17,"status":404}'])).toEqual(['"code": 17']);
  });

  test('is what stands in the object that fits best', () => {
    const lines = ['{"petId":1,"quantity":5},', '{"petId":2,"quantity":5}'];
    expect(cited('Pet 2 has quantity 5, not 6: petId 2.', lines)).toEqual(['"petId":2', '"quantity":5']);
  });

  test('is nothing if too much fits, or a word only begins so', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `{"petId":${index},"quantity":3},`);
    expect(cited('quantity is 3', lines)).toEqual([]);
    expect(cited('petIds 12', ['{"petId":12}'])).toEqual([]);
    expect(cited('petId 123', ['{"petId":12}'])).toEqual([]);
  });

  test('is a header field in any letter-case, and no other that begins so', () => {
    const message = 'X-RateLimit-Reset is 60, -1795402094 s from the clock.';
    expect(citesField(message, 'x-ratelimit-reset')).toBe(true);
    expect(citesField(message, 'X-RateLimit')).toBe(false);
    expect(citesField(message, '')).toBe(false);
  });
});
