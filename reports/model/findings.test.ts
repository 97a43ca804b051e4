import { expect, test } from 'vitest';
import { stepText, tallyText } from './findings.ts';

test.each([
  [{ violated: 245, judged: 3_700, of: 'responses' }, 'Seen in 245 of 3,700 responses, 1 in 15.'],
  [{ violated: 3_000, judged: 3_700, of: 'responses' }, 'Seen in 3,000 of 3,700 responses.'],
  [{ violated: 61, judged: 61, of: 'responses' }, 'Seen in all 61 responses.'],
  [{ violated: 1, judged: 1, of: 'judgements' }, 'Seen in the only try.'],
  [{ violated: 5, judged: 17, of: 'judgements' }, 'Seen in 5 of 17 tries, 1 in 3.'],
  [{ violated: 1, judged: 12, of: 'scenarios' }, 'Seen in 1 of 12 scenarios, 1 in 12.'],
  [{ violated: 2_000, judged: null, of: 'responses' }, 'Seen 2,000 times.'],
  [{ violated: 1, judged: null, of: 'responses' }, 'Seen once.'],
] as const)('%j reads "%s"', (tally, text) => {
  expect(tallyText(tally)).toBe(text);
});

test('a step is one line with what was sent, as whom, what came back, and how often', () => {
  const url = 'http://h/v1/inventory';
  const burst = {
    method: 'GET',
    url,
    authorization: 'Bearer free#1',
    body: null,
    status: 200,
    headers: [['X-RateLimit-Remaining', '59 … 0']],
    count: 60,
    atMilliseconds: 1_234.4,
    omittedBefore: 12,
  } as const;
  expect(stepText(burst)).toBe(
    '+1,234 ms (12 more before) 60 × GET http://h/v1/inventory (Bearer free#1) → 200, Remaining 59 … 0',
  );
  const lost = { ...burst, method: 'PATCH', authorization: null, body: '{"quantity":7}\n', status: null };
  const { omittedBefore: _, ...alone } = { ...lost, count: 1, headers: [] };
  expect(stepText(alone)).toBe(
    String.raw`+1,234 ms PATCH http://h/v1/inventory {"quantity":7}\n (no key) → no response`,
  );
});
