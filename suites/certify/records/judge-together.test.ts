import { expect, test } from 'vitest';

import { collectJudgements } from '../../oracle/index.ts';
import { judgeTogether } from './judge-together.ts';
import { limited, sampleRecord } from './record.test-data.ts';

const early = () => sampleRecord({ exchanges: [limited(0, 2), { at: 1.986 }] });

test('fails the wait of a client that is early as a rule, and names the scenarios that show it', () => {
  const judgements = collectJudgements();
  const records = Array.from({ length: 5 }, early);
  const onTime = sampleRecord({ exchanges: [limited(0, 2), { at: 2.01 }] });
  const joint = judgeTogether([...records, onTime], judgements);
  expect(joint?.records).toEqual(new Set(records));
  expect(joint?.message).toContain('in 5 of 6 waits: 14 ms, 14 ms, 14 ms, 14 ms, 14 ms too early');
  expect(judgements.judgementOf('client-waits')).toMatchObject({
    outcome: 'fail',
    findings: [{ message: joint?.message, exchange: { request: { method: 'GET' } } }],
  });
});

test('says nothing of one that was early now and then, nor if waits are not judged', () => {
  const judgements = collectJudgements();
  expect(judgeTogether([early(), early()], judgements)).toBeNull();
  const unasked = Array.from({ length: 9 }, () =>
    sampleRecord({ exchanges: [limited(0, 2), { at: 1.986 }], judges: ['client-operation'] }),
  );
  expect(judgeTogether(unasked, judgements)).toBeNull();
  expect(judgements.judgementOf('client-waits').outcome).not.toBe('fail');
});
