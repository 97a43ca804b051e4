import { AUTHENTICATION_VARIANTS } from './authentication.ts';
import { BAN_VARIANTS } from './ban.ts';
import { ERRORS_VARIANTS } from './errors.ts';
import { HEADERS_VARIANTS } from './headers.ts';
import { INVENTORY_VARIANTS } from './inventory.ts';
import { LIMITS_VARIANTS } from './limits.ts';
import { REPRESENTATION_VARIANTS } from './representation.ts';
import { ROUTES_VARIANTS } from './routes.ts';
import { TRANSPORT_VARIANTS } from './transport.ts';
import type { VariantOf } from './variant.ts';

/** What the specification permits beside the choices of the reference; combinable across freedoms. */
export const VARIANTS = [
  ...INVENTORY_VARIANTS,
  ...ERRORS_VARIANTS,
  ...AUTHENTICATION_VARIANTS,
  ...HEADERS_VARIANTS,
  ...LIMITS_VARIANTS,
  ...BAN_VARIANTS,
  ...ROUTES_VARIANTS,
  ...REPRESENTATION_VARIANTS,
  ...TRANSPORT_VARIANTS,
];

/** What the specification leaves open; a server makes one choice of each. */
export type Freedom = (typeof VARIANTS)[number]['freedom'];

export type Variant = VariantOf<Freedom>;

export const FREEDOMS: readonly Freedom[] = [...new Set(VARIANTS.map(({ freedom }) => freedom))];
