import { expect, test } from 'vitest';
import { tallyText } from './findings.ts';

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
