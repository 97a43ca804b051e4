import { HTTP_LIBERTIES } from './http-liberties.ts';
import { LIMITS } from './limits.ts';
import { LISTS } from './lists.ts';
import { REFUSALS } from './refusals.ts';
import type { ClientScenario } from './scenario.ts';
import { SILENCES } from './silences.ts';
import { UPDATES } from './updates.ts';

/** All scenarios, in the order in which reports show them; a new one is added to its group. */
export const SCENARIOS: readonly ClientScenario[] = [
  ...LISTS,
  ...UPDATES,
  ...REFUSALS,
  ...LIMITS,
  ...HTTP_LIBERTIES,
  ...SILENCES,
];
