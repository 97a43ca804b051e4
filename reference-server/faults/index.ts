import { AUTHENTICATION_COVERAGE_FAULTS } from './authentication-coverage.ts';
import { AFTER_BAN_FAULTS } from './after-bans.ts';
import { BAN_FAULTS } from './bans.ts';
import { CONCURRENCY_FAULTS } from './concurrency.ts';
import { CONNECTION_MEMORY_FAULTS } from './connection-memory.ts';
import { CONTENT_TYPE_FAULTS } from './content-types.ts';
import { CREDENTIAL_SCHEME_FAULTS } from './credential-schemes.ts';
import { CREDENTIAL_FAULTS } from './credentials.ts';
import { DAY_LIMIT_FAULTS } from './day-limits.ts';
import { DROPPED_CONNECTION_FAULTS } from './dropped-connections.ts';
import { ERROR_BODY_FAULTS } from './error-bodies.ts';
import { INDEPENDENCE_FAULTS } from './independence.ts';
import { ITEM_FAULTS } from './items.ts';
import { LIMIT_OF_PLAN_FAULTS } from './limit-of-plan.ts';
import { LIMIT_SPELLING_FAULTS } from './limit-spellings.ts';
import { LISTING_FAULTS } from './listing.ts';
import { MALFORMED_BODY_FAULTS } from './malformed-bodies.ts';
import { MINUTE_LIMIT_FAULTS } from './minute-limits.ts';
import { PET_ID_FAULTS } from './pet-ids.ts';
import { PLAIN_SENSE_FAULTS } from './plain-sense.ts';
import { RATE_LIMIT_HEADER_FORM_FAULTS } from './rate-limit-header-forms.ts';
import { RATE_LIMIT_HEADER_FAULTS } from './rate-limit-headers.ts';
import { REDIRECT_FAULTS } from './redirects.ts';
import { REFUSAL_AT_LIMIT_FAULTS } from './refusals-at-limit.ts';
import { REFUSED_WRITE_FAULTS } from './refused-writes.ts';
import { REMAINING_OF_OPERATIONS_FAULTS } from './remaining-of-operations.ts';
import { REMAINING_FAULTS } from './remaining.ts';
import { RENEWAL_FAULTS } from './renewal.ts';
import { RESET_FAULTS } from './reset.ts';
import { RETRY_AFTER_FIELD_FAULTS } from './retry-after-fields.ts';
import { RETRY_AFTER_WAIT_FAULTS } from './retry-after-waits.ts';
import { REVOKED_KEY_FAULTS } from './revoked-keys.ts';
import { STORED_QUANTITY_FAULTS } from './stored-quantities.ts';
import { UNJUST_BAN_FAULTS } from './unjust-bans.ts';
import { UPDATE_ANSWER_FAULTS } from './update-answers.ts';
import { UPDATE_ROUTING_FAULTS } from './update-routing.ts';
import { UPDATE_VALIDATION_FAULTS } from './update-validation.ts';
import { UPDATE_FAULTS } from './updates.ts';
import { VALID_KEY_FAULTS } from './valid-keys.ts';
import type { Fault } from './fault.ts';

/** Violations of the specification, one each; a file is one idea, and a new file is added here. */
export const FAULTS: readonly Fault[] = [
  ...AUTHENTICATION_COVERAGE_FAULTS,
  ...BAN_FAULTS,
  ...AFTER_BAN_FAULTS,
  ...CONCURRENCY_FAULTS,
  ...CONNECTION_MEMORY_FAULTS,
  ...CONTENT_TYPE_FAULTS,
  ...CREDENTIAL_SCHEME_FAULTS,
  ...CREDENTIAL_FAULTS,
  ...DAY_LIMIT_FAULTS,
  ...DROPPED_CONNECTION_FAULTS,
  ...ERROR_BODY_FAULTS,
  ...INDEPENDENCE_FAULTS,
  ...ITEM_FAULTS,
  ...LIMIT_OF_PLAN_FAULTS,
  ...LIMIT_SPELLING_FAULTS,
  ...LISTING_FAULTS,
  ...MALFORMED_BODY_FAULTS,
  ...MINUTE_LIMIT_FAULTS,
  ...PET_ID_FAULTS,
  ...PLAIN_SENSE_FAULTS,
  ...RATE_LIMIT_HEADER_FORM_FAULTS,
  ...RATE_LIMIT_HEADER_FAULTS,
  ...REDIRECT_FAULTS,
  ...REFUSAL_AT_LIMIT_FAULTS,
  ...REFUSED_WRITE_FAULTS,
  ...REMAINING_OF_OPERATIONS_FAULTS,
  ...REMAINING_FAULTS,
  ...RENEWAL_FAULTS,
  ...RESET_FAULTS,
  ...RETRY_AFTER_FIELD_FAULTS,
  ...RETRY_AFTER_WAIT_FAULTS,
  ...REVOKED_KEY_FAULTS,
  ...STORED_QUANTITY_FAULTS,
  ...UNJUST_BAN_FAULTS,
  ...UPDATE_ANSWER_FAULTS,
  ...UPDATE_ROUTING_FAULTS,
  ...UPDATE_VALIDATION_FAULTS,
  ...UPDATE_FAULTS,
  ...VALID_KEY_FAULTS,
];
