import type { Level } from '../verdict.ts';

/**
 * One normative sentence of the specification, in our words.
 * `clause` names the section of `petstore-inventory-service.md`, or the RFC that a `should` follows from.
 * `reading` says how an ambiguity is read, `notChecked` why no check can judge the row.
 */
export interface RequirementRow {
  readonly id: string;
  readonly clause: string;
  readonly level: Level;
  readonly statement: string;
  readonly reading?: string;
  readonly notChecked?: string;
}
