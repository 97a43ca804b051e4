import { LATEST_SET, type RequirementSet } from '../../contract/requirements/index.ts';

/** What a scope says of the set, if it is not the newest. */
export function setText(set: RequirementSet): string {
  return set === LATEST_SET ? '' : `, by requirement set ${set}`;
}
