import { DAY_LIMITS, MINUTE_LIMITS, type RequirementId } from '../../../contract/requirements/index.ts';

/** Requirements on what a key is counted and granted, which look violated if somebody else uses the key, too. */
export const COUNTED_BY_KEY: ReadonlySet<RequirementId> = new Set<RequirementId>([
  'remaining-falls',
  'remaining-counts-operations',
  ...MINUTE_LIMITS,
  ...DAY_LIMITS,
  'limit-under-concurrency',
  'limit-over-spellings',
  'limit-renews',
  'retry-after-honoured',
  'keys-independent-at-limit',
  'keys-independent-in-ban',
  'ban-only-after-continued',
  'valid-key-accepted',
]);

/** Requirements on what is in the store, which look violated if somebody else writes to it, too. */
export const SEEN_IN_STORE: ReadonlySet<RequirementId> = new Set<RequirementId>([
  'list-complete',
  'update-sets',
  'update-persists',
  'update-touches-one-entry',
  'update-exact-pet',
  'refused-changes-nothing',
]);

/** Requirements that no single response shows to be violated. */
const SEVERAL_REQUESTS: ReadonlySet<RequirementId> = new Set<RequirementId>([
  ...COUNTED_BY_KEY,
  ...SEEN_IN_STORE,
  'revoked-key',
  'refusal-is-429',
  'ban-ends',
  'ban-answer',
]);

export function takesSeveralRequests(id: RequirementId): boolean {
  return SEVERAL_REQUESTS.has(id);
}
