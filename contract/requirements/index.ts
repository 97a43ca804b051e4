import { AUTHENTICATION_ROWS } from './authentication.ts';
import { BAN_ROWS } from './ban.ts';
import { CLIENT_ROWS } from './client.ts';
import { ERRORS_ROWS } from './errors.ts';
import { HEADERS_ROWS } from './headers.ts';
import { INDEPENDENCE_ROWS } from './independence.ts';
import { LIMITS_ROWS } from './limits.ts';
import { LIST_ROWS } from './list.ts';
import { OTHER_OPERATIONS_ROWS } from './other-operations.ts';
import { RETRY_ROWS } from './retry.ts';
import type { RequirementRow } from './row.ts';
import { REQUIREMENT_SETS, type RequirementSet } from './sets.ts';
import { UPDATE_ROWS } from './update.ts';
import { VERSIONING_ROWS } from './versioning.ts';

/** The requirement register: its areas, in the order in which reports show them, with their rows. */
const REGISTER = [
  ['list', LIST_ROWS],
  ['update', UPDATE_ROWS],
  ['errors', ERRORS_ROWS],
  ['authentication', AUTHENTICATION_ROWS],
  ['headers', HEADERS_ROWS],
  ['limits', LIMITS_ROWS],
  ['retry', RETRY_ROWS],
  ['independence', INDEPENDENCE_ROWS],
  ['ban', BAN_ROWS],
  ['other operations', OTHER_OPERATIONS_ROWS],
  ['versioning', VERSIONING_ROWS],
  ['client', CLIENT_ROWS],
] as const;

export { DAY_LIMITS, MINUTE_LIMITS } from './limits.ts';
export { isNewer, LATEST_SET, readRequirementSet, REQUIREMENT_SETS, type RequirementSet } from './sets.ts';

export type Area = (typeof REGISTER)[number][0];

export type RequirementId = (typeof REGISTER)[number][1][number]['id'];

/** A row of the register with its set and its area. */
export type Requirement = RequirementRow & {
  readonly id: RequirementId;
  readonly since: RequirementSet;
  readonly area: Area;
};

/** The areas of the register, in the order in which reports show them. */
export const AREAS: readonly Area[] = REGISTER.map(([area]) => area);

const [FIRST_SET] = REQUIREMENT_SETS;

export const REQUIREMENTS: readonly Requirement[] = REGISTER.flatMap(([area, rows]) =>
  rows.map((row) => ({ since: FIRST_SET, ...row, area })),
);

/** What `verify` judges. */
export const SERVER_REQUIREMENTS: readonly Requirement[] = REQUIREMENTS.filter(
  ({ area, notChecked }) => area !== 'client' && notChecked === undefined,
);

/** What `certify` judges. */
export const CLIENT_REQUIREMENTS: readonly Requirement[] = REQUIREMENTS.filter(
  ({ area }) => area === 'client',
);

const BY_ID: ReadonlyMap<string, Requirement> = new Map(REQUIREMENTS.map((row) => [row.id, row]));

/** The row of that id, or `undefined` if there is none. */
export function findRequirement(id: string): Requirement | undefined {
  return BY_ID.get(id);
}

/** The row of that id; every id of the union type has one. */
export function requirement(id: RequirementId): Requirement {
  const row = BY_ID.get(id);
  if (row === undefined) {
    throw new Error(`The register has no row ${id}`);
  }
  return row;
}
