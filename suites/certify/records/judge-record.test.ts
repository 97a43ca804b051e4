import { expect, test } from 'vitest';

import { collectJudgements } from '../../oracle/index.ts';
import { judgeRecord } from './judge-record.ts';
import { CLIENT_KEY, limited, sampleRecord, UNKNOWN, type RecordSample } from './record.test-data.ts';

function judged(sample: RecordSample) {
  const judgements = collectJudgements();
  judgeRecord(sampleRecord(sample), judgements, { responses: 1, accusations: [] });
  return judgements;
}

test('says of a record what its scenario is judged by, and nothing else', () => {
  const judgements = judged({ judges: ['client-operation', 'client-retries-limited'] });
  expect(judgements.judgementOf('client-operation').outcome).toBe('pass');
  expect(judgements.judgementOf('client-sends-bearer').outcome).toBe('skipped');
  expect(judgements.observations()).toEqual({});
});

test('keeps the exchange as evidence, without the key', () => {
  const judgements = judged({ judges: ['client-waits'], exchanges: [limited(0, 2), { at: 0.5 }] });
  const { outcome, findings } = judgements.judgementOf('client-waits');
  expect(outcome).toBe('fail');
  expect(findings).toHaveLength(1);
  expect(findings[0]?.message).toMatch(/^A sample: .* 1\.50 s too early\. .*\.$/);
  expect(findings[0]?.exchange?.request.method).toBe('GET');
  expect(JSON.stringify(findings)).not.toContain(CLIENT_KEY);
});

test('gives the reason why a record shows nothing of a requirement', () => {
  const { outcome, reason } = judged({ outcome: UNKNOWN }).judgementOf('client-completes');
  expect(outcome).toBe('skipped');
  expect(reason).toBe('Nothing says how the client ended.');
});
