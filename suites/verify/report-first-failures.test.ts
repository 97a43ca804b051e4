import { expect, test } from 'vitest';

import { collectJudgements } from '../oracle/index.ts';
import { reportingFirstFailures, type SeenFailure } from './report-first-failures.ts';

test('the first failure of each requirement is told, and all of them are recorded', () => {
  const told: SeenFailure[] = [];
  const judgements = reportingFirstFailures(collectJudgements(), (failure) => told.push(failure));
  judgements.pass('check', 'item-status');
  judgements.inconclusive('check', 'item-pet-id', { message: 'Nothing came.' });
  judgements.fail('check', 'item-status', { message: 'The status is "gone".' });
  judgements.fail('monitor', 'item-status', { message: 'The status is "lost".' });
  judgements.fail('monitor', 'www-authenticate', { message: 'There is none.' });
  expect(told).toEqual([
    { id: 'item-status', level: 'must', message: 'The status is "gone".' },
    { id: 'www-authenticate', level: 'should', message: 'There is none.' },
  ]);
  expect(judgements.judgementOf('item-status').findings).toHaveLength(2);
});
