import { HTTP_LIBERTIES, SILENCES } from './http-liberties.ts';
import { LIMITS } from './limits.ts';
import { REFUSALS } from './refusals.ts';
import { inTurnOfForms, QUICK_FORMS, type ClientScenario } from './scenario.ts';
import { LISTS, UPDATES } from './successes.ts';

/** All scenarios, in the order in which reports show them; a new one is added to its group. */
export const SCENARIOS: readonly ClientScenario[] = [
  ...inTurnOfForms([...LISTS, ...UPDATES, ...REFUSALS]),
  ...inTurnOfForms(LIMITS, QUICK_FORMS),
  ...HTTP_LIBERTIES,
  ...SILENCES,
];
