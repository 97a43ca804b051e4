import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { sampleExchange } from '../../oracle/exchange.test-data.ts';
import { createRedactor } from './redaction.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const LABEL = 'free#1';

const characterOf = (characters: string) => fc.constantFrom(...Array.from(characters));

/** A secret long enough to be replaced anywhere; none of its characters stands in a label or a text around it. */
const anySecret = fc.string({
  unit: characterOf('ABCDEFGHIJ_-.~+/=$^*()[]{}|?\\'),
  minLength: 8,
  maxLength: 40,
});

/** What may stand around a secret. */
const filler = fc.string({
  unit: characterOf('xyz0123 ,:;"\'<>äπ💚\n'),
  maxLength: 12,
});

/** Text in which the secret stands any number of times. */
const textWith = (secret: string) =>
  fc.array(fc.oneof(fc.constant(secret), filler), { maxLength: 6 }).map((parts) => parts.join(''));

describe('a recorded exchange', () => {
  test('shows a hidden secret nowhere', () => {
    const samples = anySecret.chain((secret) => {
      const text = textWith(secret);
      return fc.record({
        secret: fc.constant(secret),
        sample: fc.record({
          method: fc.constant('PATCH'),
          path: text.map((part) => `/v1/inventory?key=${part}`),
          requestHeaders: fc.tuple(fc.tuple(fc.constant('X-Trace'), text)),
          requestBody: fc.oneof(
            text,
            text.map((part) => Buffer.from(part)),
            fc.constant(null),
          ),
          authorization: fc.oneof(text, fc.constant(null)),
          headers: fc.tuple(fc.tuple(fc.constant('X-Echo'), text)),
          body: text,
        }),
      });
    });
    fc.assert(
      fc.property(samples, ({ secret, sample }) => {
        const redactor = createRedactor();
        redactor.hide(secret, LABEL);
        const exchange = sampleExchange(sample);
        const { request, response } = redactor.record(exchange, ORIGIN);
        const texts = [
          request.url,
          request.body,
          ...request.headers.flat(),
          response?.body,
          ...(response?.headers.flat() ?? []),
          redactor.curl(exchange, ORIGIN),
        ];
        for (const text of texts) {
          expect(text ?? '').not.toContain(secret);
        }
      }),
    );
  });

  test('shows no part of a secret if a body is cut', () => {
    const secret = 'S3cr3t'.repeat(6);
    const redactor = createRedactor();
    redactor.hide(secret, LABEL);
    for (const before of [1_965, 1_980, 1_999, 2_000]) {
      const body = `${'x'.repeat(before)}${secret}${'x'.repeat(50)}`;
      const exchange = sampleExchange({ method: 'PATCH', requestBody: body, body });
      const { request, response } = redactor.record(exchange, ORIGIN);
      for (const text of [request.body, response?.body, redactor.curl(exchange, ORIGIN)]) {
        expect(text).not.toContain('S');
      }
    }
  });

  test('shows a secret in a query string no more than elsewhere', () => {
    const redactor = createRedactor();
    redactor.hide('c2VjcmV0+L2tleQ==', LABEL);
    const path = `/v1/inventory?api_key=${encodeURIComponent('c2VjcmV0+L2tleQ==')}`;
    const { request } = redactor.record(sampleExchange({ path }), ORIGIN);
    expect(request.url).toBe(`${ORIGIN}/v1/inventory?api_key=${LABEL}`);
  });

  test('has the label where the secret stood, and everything else as it was', () => {
    const redactor = createRedactor();
    redactor.hide('sk_live_0123456789', 'pro#1');
    const exchange = sampleExchange({
      method: 'PATCH',
      path: '/v1/inventory/9007199254740993',
      authorization: 'Bearer sk_live_0123456789',
      requestHeaders: [['Content-Type', 'application/json']],
      requestBody: '{"quantity":5}',
      status: 401,
      headers: [['X-Echo', 'sk_live_0123456789, twice: sk_live_0123456789']],
      body: '{"message":"sk_live_0123456789 is unknown"}',
      sentAt: 100,
      receivedAt: 112.346,
      startedAt: new Date('2026-01-02T03:04:05.678Z'),
    });
    expect(redactor.record(exchange, ORIGIN)).toEqual({
      request: {
        method: 'PATCH',
        url: 'http://127.0.0.1:8080/v1/inventory/9007199254740993',
        headers: [
          ['Authorization', 'Bearer pro#1'],
          ['Content-Type', 'application/json'],
        ],
        body: '{"quantity":5}',
      },
      response: {
        status: 401,
        headers: [['X-Echo', 'pro#1, twice: pro#1']],
        body: '{"message":"pro#1 is unknown"}',
        bodyBytes: 43,
      },
      sentAt: '2026-01-02T03:04:05.678Z',
      durationMilliseconds: 12.35,
    });
  });

  test('tells the length of a body that it cuts', () => {
    const exchange = sampleExchange({ body: 'ä'.repeat(5_000) });
    const { response } = createRedactor().record(exchange, ORIGIN);
    expect(response?.bodyBytes).toBe(10_000);
    expect(response?.body).toMatch(/^ä{2000}…$/);
  });
});

describe('redact', () => {
  test.each([
    ['k1', 'free#1'],
    ['Bearer k1', 'Bearer free#1'],
    ['"k1","k1"', '"free#1","free#1"'],
    ['k12 and ask1 and K1', 'k12 and ask1 and K1'],
  ])('replaces a short secret only as a whole word: %s', (text, redacted) => {
    const redactor = createRedactor();
    redactor.hide('k1', LABEL);
    expect(redactor.redact(text)).toBe(redacted);
  });

  test('prefers the longer of two secrets that begin alike', () => {
    const redactor = createRedactor();
    redactor.hide('0123456789', 'free#1');
    redactor.hide('0123456789abc', '[an extension of free#1]');
    expect(redactor.redact('0123456789abc 0123456789')).toBe('[an extension of free#1] free#1');
  });

  test('takes a label as it is', () => {
    const redactor = createRedactor();
    redactor.hide('0123456789', '$& $1');
    expect(redactor.redact('0123456789')).toBe('$& $1');
  });

  test('leaves any text alone if there is nothing to hide', () => {
    const redactor = createRedactor();
    redactor.hide('', LABEL);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redactor.redact(text)).toBe(text);
      }),
    );
  });
});
