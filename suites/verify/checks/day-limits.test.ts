import { describe } from 'vitest';

import { dayAcrossMinutes, dayLimitChecks, wholeDay } from './day-limits.ts';
import { testChecks, type Violation } from './judge-scripted.test-data.ts';
import { carriedOutThough, granting, answering429With, withField } from './target-changes.test-data.ts';

const tooShort: Violation = [
  'retry-after-honoured',
  'that of the day is a minute',
  () => ({ retryAfter: (seconds) => Math.min(seconds, 60) }),
];

describe.each(dayLimitChecks.map((check) => [check.id, check] as const))('%s', (_id, check) => {
  testChecks(
    [check],
    [
      ...check.judges.slice(0, 1).flatMap((id): Violation[] => [
        [id, 'two too many are granted', granting(2, 'day')],
        [id, 'two too few are granted', granting(-2, 'day')],
      ]),
      ['remaining-falls', 'it stays', withField('X-RateLimit-Remaining', '7')],
      tooShort,
      ['refusal-is-429', 'it is 503', answering429With(503)],
      ['refused-changes-nothing', 'an update beyond it is carried out all the same', carriedOutThough(429)],
    ],
  );
});

describe('the day over several minutes', () => {
  testChecks([dayAcrossMinutes], [['day-limit-free', 'two too many are granted', granting(2, 'day')]]);
});

describe('the whole day', () => {
  testChecks([wholeDay], [['day-limit-free', 'more than twice as many are granted', granting(1_001, 'day')]]);
});
