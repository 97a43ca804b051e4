import { expect, test } from 'vitest';

import { judgeScripted } from './judge-scripted.test-data.ts';
import { silentFor } from './target-changes.test-data.ts';
import { confusablePets, updateCheck } from '../../stimuli/checks/updates.ts';

test('an update that is not answered within a short timeout proves nothing', async () => {
  const judgements = await judgeScripted(
    [updateCheck],
    silentFor(({ method }) => method === 'PATCH', 1),
  );
  expect(judgements.judgementOf('update-succeeds').outcome).toBe('inconclusive');
});

test('a target that answers nothing at all is not blamed for updates', async () => {
  const judgements = await judgeScripted(
    [updateCheck],
    silentFor(() => true),
  );
  expect(judgements.judgementOf('update-succeeds').outcome).toBe('inconclusive');
});

test('an update that adds has hit the right pet', async () => {
  const judgements = await judgeScripted([confusablePets], ({ update }) => ({
    update: (item, quantity) => update(item, Number(item.quantity) + Number(quantity)),
  }));
  expect(judgements.judgementOf('update-sets').outcome).toBe('fail');
  expect(judgements.judgementOf('update-exact-pet').outcome).toBe('pass');
});
