import { expect, test } from 'vitest';

import type { Check } from '../stimuli/index.ts';
import { performGroup } from './perform-plan.ts';

const LEASES = { sharingIsOver: () => {} };

function check(id: string): Check {
  return { id, title: id, judges: [], needs: { profile: 'safe', keys: [] }, run: async () => {} };
}

test('what one check throws is thrown once all others have ended', async () => {
  const ended: string[] = [];
  const performing = performGroup([check('throws'), check('takes longer')], LEASES, async ({ id }) => {
    if (id === 'throws') {
      throw new Error('the disk is full');
    }
    await new Promise(setImmediate);
    ended.push(id);
  });
  await expect(performing).rejects.toThrow('the disk is full');
  expect(ended).toEqual(['takes longer']);
});
