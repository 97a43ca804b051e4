import { AUTHENTICATION_VARIANTS } from './authentication.ts';
import { BAN_RESET_VARIANTS } from './ban-reset.ts';
import { BAN_VARIANTS } from './bans.ts';
import { CLOCK_VARIANTS } from './clocks.ts';
import { CONNECTION_VARIANTS } from './connections.ts';
import { COUNTING_VARIANTS } from './counting.ts';
import { DESCRIBED_WINDOW_VARIANTS } from './described-windows.ts';
import { HEADER_FIELD_VARIANTS } from './header-fields.ts';
import { JSON_TEXT_VARIANTS } from './json-text.ts';
import { LATENCY_VARIANTS } from './latency.ts';
import { MEMBER_VARIANTS } from './members.ts';
import { OTHER_OPERATION_VARIANTS } from './other-operations.ts';
import { QUANTITY_VARIANTS } from './quantities.ts';
import { REFUSAL_BODY_VARIANTS } from './refusal-bodies.ts';
import { RETRY_AFTER_VARIANTS } from './retry-after.ts';
import { ROUTE_VARIANTS } from './routes.ts';
import { STORE_VARIANTS } from './stores.ts';
import { VALIDATION_VARIANTS } from './validation.ts';
import type { Variant } from './variant.ts';
import { WINDOW_VARIANTS } from './windows.ts';

/** What the specification permits beside the choices of the reference; combinable across freedoms. */
export const VARIANTS: readonly Variant[] = [
  ...WINDOW_VARIANTS,
  ...COUNTING_VARIANTS,
  ...DESCRIBED_WINDOW_VARIANTS,
  ...RETRY_AFTER_VARIANTS,
  ...REFUSAL_BODY_VARIANTS,
  ...BAN_VARIANTS,
  ...BAN_RESET_VARIANTS,
  ...HEADER_FIELD_VARIANTS,
  ...AUTHENTICATION_VARIANTS,
  ...MEMBER_VARIANTS,
  ...JSON_TEXT_VARIANTS,
  ...QUANTITY_VARIANTS,
  ...VALIDATION_VARIANTS,
  ...ROUTE_VARIANTS,
  ...STORE_VARIANTS,
  ...OTHER_OPERATION_VARIANTS,
  ...CONNECTION_VARIANTS,
  ...LATENCY_VARIANTS,
  ...CLOCK_VARIANTS,
];
