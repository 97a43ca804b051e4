import type { RequirementId } from '../../../contract/requirements/index.ts';

/** What every request and every ending is judged by. */
const EVERY_OPERATION: readonly RequirementId[] = [
  'client-operation',
  'client-sends-bearer',
  'client-completes',
  'client-reuses-connections',
  'client-liberties',
];

/** What a list is judged by, whatever it is answered. */
export const A_LIST: readonly RequirementId[] = EVERY_OPERATION;

/** What an update is judged by, whatever it is answered. */
export const AN_UPDATE: readonly RequirementId[] = [
  ...EVERY_OPERATION,
  'client-update-body',
  'client-exact-pet-id',
];

/** Scenarios in which the service refuses with an Error object. */
export const A_REFUSAL: readonly RequirementId[] = ['client-reports-error', 'client-does-not-repeat-refused'];

/** Scenarios in which a 429 or a ban with a Retry-After comes before the result. */
export const A_LIMIT: readonly RequirementId[] = [
  'client-waits',
  'client-avoids-ban',
  'client-reports-result',
  'client-reports-error',
  'client-retries-limited',
];
