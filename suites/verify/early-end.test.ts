import { expect, test } from 'vitest';

import { collectJudgements } from '../oracle/index.ts';
import { addressOf, createTargetClient } from '../target/index.ts';
import { afterEarlyEnd, endAtFailure } from './early-end.ts';

test('a run ends when a requirement has failed that it is to end at, and the failure counts', () => {
  const end = endAtFailure((id) => id === 'item-status');
  const judgements = end.follow(collectJudgements());
  end.checksBegin();
  judgements.pass('check', 'item-status');
  judgements.fail('check', 'item-pet-id', { message: 'The petId is a text.' });
  expect(end.signal.aborted).toBe(false);
  judgements.fail('check', 'item-status', { message: 'The status is "gone".' });
  expect(end.signal.reason).toMatchObject({ message: expect.stringContaining('item-status') });
  expect(judgements.judgementOf('item-status').outcome).toBe('fail');
});

test('a failure before the checks ends the run when they begin', () => {
  const end = endAtFailure(() => true);
  end.follow(collectJudgements()).fail('monitor', 'item-status', { message: 'The status is "gone".' });
  expect(end.signal.aborted).toBe(false);
  end.checksBegin();
  expect(end.signal.aborted).toBe(true);
});

test('what is asked after that is asked until the run is interrupted', async () => {
  const end = new AbortController();
  const interruption = new AbortController();
  const address = { ...addressOf('http://target.test/v1'), headers: [] };
  const client = createTargetClient(address, { signal: end.signal });
  end.abort(new Error('Ended'));
  await expect(client.time.sleep(0.001, 'a test')).rejects.toThrow('Ended');
  const after = afterEarlyEnd(client, interruption.signal);
  await after.time.sleep(0.001, 'a test');
  expect(after.signal.aborted).toBe(false);
  interruption.abort(new Error('Interrupted'));
  await expect(after.time.sleep(60, 'a test')).rejects.toThrow('aborted');
  expect(after.signal.aborted).toBe(true);
});
