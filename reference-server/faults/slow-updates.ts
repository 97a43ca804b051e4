import { setTimeout as sleep } from 'node:timers/promises';

import type { Alteration } from '../alterations/alteration.ts';

const MILLISECONDS = 3;

/** Answers updates some milliseconds later, as a database would, so that other requests can come in between. */
export const answerUpdatesLater: NonNullable<Alteration['answers']> = ({ updateInventory }) => ({
  updateInventory: async (request, petId) => {
    const answer = await updateInventory(request, petId);
    await sleep(MILLISECONDS);
    return answer;
  },
});
