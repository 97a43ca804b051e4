import { AUTHENTICATION_FAULTS } from './authentication.ts';
import { BAN_ONLY_AFTER_CONTINUED_FAULTS } from './ban-only-after-continued.ts';
import { BAN_FAULTS } from './ban.ts';
import { ERRORS_FAULTS } from './errors.ts';
import { HEADERS_FAULTS } from './headers.ts';
import { INDEPENDENCE_FAULTS } from './independence.ts';
import { ITEM_FAULTS } from './item.ts';
import { LIMIT_OF_PLAN_FAULTS } from './limit-of-plan.ts';
import { LIMIT_OVER_SPELLINGS_FAULTS } from './limit-over-spellings.ts';
import { LIMIT_RENEWS_FAULTS } from './limit-renews.ts';
import { LIMIT_UNDER_CONCURRENCY_FAULTS } from './limit-under-concurrency.ts';
import { LIMITS_FAULTS } from './limits.ts';
import { LIST_FAULTS } from './list.ts';
import { OTHER_OPERATIONS_FAULTS } from './other-operations.ts';
import { REFUSED_CHANGES_NOTHING_FAULTS } from './refused-changes-nothing.ts';
import { REMAINING_FAULTS } from './remaining.ts';
import { RETRY_FAULTS } from './retry.ts';
import { REVOKED_KEY_FAULTS } from './revoked-key.ts';
import { UPDATE_EXACT_PET_FAULTS } from './update-exact-pet.ts';
import { UPDATE_PERSISTS_FAULTS } from './update-persists.ts';
import { UPDATE_SUCCEEDS_FAULTS } from './update-succeeds.ts';
import { UPDATE_FAULTS } from './update.ts';
import { UPDATE_UNKNOWN_PET_FAULTS } from './update-unknown-pet.ts';
import { VALID_KEY_ACCEPTED_FAULTS } from './valid-key-accepted.ts';
import { VERSIONING_FAULTS } from './versioning.ts';
import type { Fault } from './fault.ts';

/** Violations of the specification, one each; a file is one idea, and a new file is added here. */
export const FAULTS: readonly Fault[] = [
  ...AUTHENTICATION_FAULTS,
  ...BAN_ONLY_AFTER_CONTINUED_FAULTS,
  ...BAN_FAULTS,
  ...ERRORS_FAULTS,
  ...HEADERS_FAULTS,
  ...INDEPENDENCE_FAULTS,
  ...ITEM_FAULTS,
  ...LIMIT_OF_PLAN_FAULTS,
  ...LIMIT_OVER_SPELLINGS_FAULTS,
  ...LIMIT_RENEWS_FAULTS,
  ...LIMIT_UNDER_CONCURRENCY_FAULTS,
  ...LIMITS_FAULTS,
  ...LIST_FAULTS,
  ...OTHER_OPERATIONS_FAULTS,
  ...REFUSED_CHANGES_NOTHING_FAULTS,
  ...REMAINING_FAULTS,
  ...RETRY_FAULTS,
  ...REVOKED_KEY_FAULTS,
  ...UPDATE_EXACT_PET_FAULTS,
  ...UPDATE_PERSISTS_FAULTS,
  ...UPDATE_SUCCEEDS_FAULTS,
  ...UPDATE_UNKNOWN_PET_FAULTS,
  ...UPDATE_FAULTS,
  ...VALID_KEY_ACCEPTED_FAULTS,
  ...VERSIONING_FAULTS,
];
