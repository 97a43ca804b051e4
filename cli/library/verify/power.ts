import { AREAS, findRequirement } from '../../../contract/requirements/index.ts';
import type { ReportedPower, VerifyReport } from '../../../reports/index.ts';
import { EXPLORE } from '../../../contract/verdict.ts';
import knownFaults from './known-faults.json' with { type: 'json' };

/** What every run begins with, before any check. */
export const PREFLIGHT = 'preflight';

/** A seeded fault, and what showed it when the kill matrix was made: checks, `preflight` or `explore`. */
export interface KnownFault {
  /** The requirement that it breaks. */
  readonly breaks: string;
  /** With the control contract. */
  readonly withControl: readonly string[];
  /** In real time, through HTTP alone. */
  readonly withoutControl: readonly string[];
}

/** The seeded faults of this version by their id, as the kill matrix knows them. */
export const KNOWN_FAULTS: Readonly<Record<string, KnownFault>> = knownFaults;

/** Requests of the exploration that the kill matrix was made with; a shorter one shows less. */
export const EXPLORED_FOR_MATRIX = 3_000;

type Run = Pick<VerifyReport, 'requirements' | 'checks' | 'target' | 'exploration'>;

/**
 * How many known faults a run could have caught: those that break a requirement which it decided, and that a check which it
 * ran to its end is known to show, with the control contract or without as in the run.
 */
export function powerOf(run: Run, faults = KNOWN_FAULTS): ReportedPower {
  const decided = new Set(
    run.requirements.flatMap(({ id, outcome }) => (outcome === 'pass' || outcome === 'fail' ? [id] : [])),
  );
  const ran = new Set([
    PREFLIGHT,
    ...run.checks.flatMap(({ id, outcome }) =>
      outcome === 'skipped' || outcome === 'inconclusive' || isTooShort(id, run) ? [] : [id],
    ),
  ]);
  const rows = Object.values(faults).map((fault) => ({
    area: findRequirement(fault.breaks)?.area,
    isWithinReach:
      decided.has(fault.breaks) &&
      (run.target.control === null ? fault.withoutControl : fault.withControl).some((check) =>
        ran.has(check),
      ),
  }));
  const byArea = AREAS.map((area) => {
    const own = rows.filter((row) => row.area === area);
    return { area, known: own.length, withinReach: own.filter(({ isWithinReach }) => isWithinReach).length };
  }).filter(({ known }) => known > 0);
  return {
    known: rows.length,
    withinReach: rows.filter(({ isWithinReach }) => isWithinReach).length,
    byArea,
  };
}

function isTooShort(check: string, { exploration }: Run): boolean {
  return check === EXPLORE && (exploration?.requests ?? 0) < EXPLORED_FOR_MATRIX;
}
