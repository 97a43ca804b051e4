import { expect, test } from 'vitest';

import { judgeScripted } from './judge-scripted.test-data.ts';
import { banCheck } from '../../stimuli/checks/bans.ts';

test('whoever is not banned comes back when the last of many refusals said so', async () => {
  let refusals = 0;
  const judged = await judgeScripted([banCheck], () => ({
    ban: null,
    retryAfter: (seconds) => {
      refusals += 1;
      return refusals > 10 ? 5 : seconds;
    },
  }));
  expect(judged.judgementOf('retry-after-honoured').outcome).toBe('fail');
});
