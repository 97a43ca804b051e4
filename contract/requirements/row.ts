import type { RequirementSet } from './sets.ts';

/**
 * One requirement of the specification, in our words.
 * `since` is the set that it came with, if it was not the first one; `clause` names the section of `contract/specification.md`, or the RFC that a `should` follows from.
 * `reading` says how an ambiguity is read, `notChecked` why no check can judge the row, `unseen` why it was not judged if nothing
 * showed it.
 */
export type RequirementRow = Ground & {
  readonly id: string;
  readonly since?: RequirementSet;
  readonly clause: string;
  readonly statement: string;
  readonly reading?: string;
  readonly notChecked?: string;
  readonly unseen?: string;
  /**
   * Ids of requirements that this one can hardly hold without: if one of them fails as well, this failure probably follows
   * from it.
   */
  readonly dependsOn?: readonly string[];
  /** Set on the row that says first of all when a request is refused with this status. */
  readonly refusal?: 400 | 401 | 404 | 429;
};

/** What a row rests on: its words in the specification, or, below a must, an RFC or what the specification leaves open. */
type Ground =
  | {
      readonly level: 'must' | 'should' | 'observe';
      /** Passages of the clause, verbatim. */
      readonly quotes: readonly [string, ...string[]];
      readonly basis?: never;
    }
  | { readonly level: 'should' | 'observe'; readonly basis: string; readonly quotes?: never };

/** Of what only a 429 shows. */
export const UNSEEN_429 = 'No response was a 429; a run in profile full provokes one.';
