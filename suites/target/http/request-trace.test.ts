import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rateLimitFields, sampleExchange, type ExchangeSample } from '../../oracle/exchange.test-data.ts';
import { createRedactor } from '../redaction/redaction.ts';
import { openRequestTrace, type RequestTrace } from './request-trace.ts';

const ORIGIN = 'http://127.0.0.1:8080';

function note(trace: RequestTrace, sample: ExchangeSample): void {
  const exchange = sampleExchange({ authorization: 'Bearer free#1', key: 'free#1', ...sample });
  trace.note({ ...exchange, exchange });
}

test('a burst is one step for each status, whatever the order in which its answers came', () => {
  const trace = openRequestTrace();
  note(trace, { path: '/v1/pets/1', sentAt: 0, receivedAt: 5 });
  for (let sent = 0; sent < 61; sent += 1) {
    const refused = sent === 30;
    const left = Math.max(0, 59 - sent);
    note(trace, {
      status: refused ? 429 : 200,
      headers: rateLimitFields(60, refused ? 0 : left, 1_790_000_060),
      sentAt: 10,
      receivedAt: 20 + sent,
    });
  }
  const steps = trace.steps(createRedactor(), ORIGIN);
  expect(steps.map(({ count, status }) => [count, status])).toEqual([
    [1, 200],
    [60, 200],
    [1, 429],
  ]);
  expect(steps[1]).toMatchObject({ url: `${ORIGIN}/v1/inventory`, atMilliseconds: 10 });
  expect(steps[1]?.headers).toContainEqual(['X-RateLimit-Remaining', '59 … 0']);
});

test('one request alone is no series of steps', () => {
  const trace = openRequestTrace();
  note(trace, {});
  expect(trace.steps(createRedactor(), ORIGIN)).toEqual([]);
});

test('stays short, keeps the first and the last requests in their order, and counts the others', () => {
  const paths = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 2, maxLength: 200 });
  fc.assert(
    fc.property(paths, (sent) => {
      const trace = openRequestTrace();
      for (const [index, path] of sent.entries()) {
        note(trace, { path: `/v1/pets/${path}`, sentAt: index * 10, receivedAt: index * 10 + 5 });
      }
      const steps = trace.steps(createRedactor(), ORIGIN);
      const counted = steps.reduce((sum, { count, omittedBefore = 0 }) => sum + count + omittedBefore, 0);
      expect(counted).toBe(sent.length);
      expect(steps.length).toBeLessThanOrEqual(12);
      expect(steps[0]?.url).toBe(`${ORIGIN}/v1/pets/${sent[0]}`);
      expect(steps.at(-1)?.url).toBe(`${ORIGIN}/v1/pets/${sent.at(-1)}`);
      const moments = steps.map(({ atMilliseconds }) => atMilliseconds);
      expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    }),
  );
});

test('shows no key that stands in a path, a body or a header', () => {
  const redactor = createRedactor();
  redactor.hide('S3CR3T-KEY', 'free#1');
  const trace = openRequestTrace();
  for (const status of [200, 429]) {
    note(trace, {
      method: 'PATCH',
      path: '/v1/inventory?api_key=S3CR3T-KEY',
      requestBody: `${'x'.repeat(195)}S3CR3T-KEY`,
      status,
      headers: [['Retry-After', 'S3CR3T-KEY']],
    });
  }
  expect(JSON.stringify(trace.steps(redactor, ORIGIN))).not.toMatch(/S3C/);
});
