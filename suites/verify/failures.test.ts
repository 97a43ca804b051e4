import { expect, test } from 'vitest';

import { collectJudgements } from '../oracle/index.ts';
import { addressOf, createTargetClient } from '../target/index.ts';
import { afterEarlyEnd, endAtFailure, reportOnce, tellingFailures, type SeenFailure } from './failures.ts';

test('the first failure of each requirement is told, and all of them are recorded', () => {
  const told: SeenFailure[] = [];
  const judgements = tellingFailures(
    collectJudgements(),
    reportOnce((failure) => told.push(failure)),
  );
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

test('a run ends when a requirement has failed that it is to end at, and the failure counts', () => {
  const all = collectJudgements();
  const end = endAtFailure(() => all.judgementOf('item-status').outcome === 'fail');
  const judgements = tellingFailures(all, end.noteFailure);
  end.checksBegin();
  judgements.pass('check', 'item-status');
  judgements.fail('check', 'item-pet-id', { message: 'The petId is a text.' });
  expect(end.signal.aborted).toBe(false);
  judgements.fail('check', 'item-status', { message: 'The status is "gone".' });
  expect(end.signal.aborted).toBe(true);
  expect(judgements.judgementOf('item-status').outcome).toBe('fail');
});

test('a failure before the checks ends the run when they begin', () => {
  const end = endAtFailure(() => true);
  end.noteFailure();
  expect(end.signal.aborted).toBe(false);
  end.checksBegin();
  expect(end.signal.aborted).toBe(true);
});

test('what is asked after that is asked until the run is interrupted', async () => {
  const end = new AbortController();
  const interruption = new AbortController();
  const client = createTargetClient(addressOf('http://target.test/v1'), { signal: end.signal });
  end.abort(new Error('Ended'));
  await expect(client.time.sleep(0.001, 'a test')).rejects.toThrow('Ended');
  const after = afterEarlyEnd(client, interruption.signal);
  await after.time.sleep(0.001, 'a test');
  expect(after.signal.aborted).toBe(false);
  interruption.abort(new Error('Interrupted'));
  await expect(after.time.sleep(60, 'a test')).rejects.toThrow('aborted');
  expect(after.signal.aborted).toBe(true);
});
