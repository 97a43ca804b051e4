import type { ReportedFreedom } from '../model/report.ts';
import { countText } from './subject-text.ts';

/** The columns of the choices that a client was tried with, and a row of them. */
export const FREEDOM_COLUMNS = [
  'What services may do',
  'Of what is left open',
  'Scenarios',
  'Failed in',
] as const;

export function freedomRow({ title, freedom, scenarios, failed }: ReportedFreedom): readonly string[] {
  return [title, freedom, `${scenarios}`, failed.map(({ scenario }) => scenario).join(', ')];
}

/** Such as `It passes with 88 of 90 choices that services may make; it fails with 2`. */
export function freedomsText(freedoms: readonly ReportedFreedom[]): string {
  const failed = failedFreedoms(freedoms).length;
  const tried = `${countText(freedoms.length, 'choice')} that services may make`;
  return failed === 0 ? `It passes with all ${tried}` : `It fails with ${failed} of ${tried}`;
}

/** The choices that it failed with, those of most scenarios first. */
export function failedFreedoms(freedoms: readonly ReportedFreedom[]): readonly ReportedFreedom[] {
  return freedoms
    .filter(({ failed }) => failed.length > 0)
    .toSorted((one, other) => other.failed.length - one.failed.length);
}
