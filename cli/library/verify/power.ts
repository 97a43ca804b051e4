import { findRequirement } from '../../../contract/requirements/index.ts';
import type { ReportedPower, VerifyReport } from '../../../reports/index.ts';
import { EXPLORE } from '../../../contract/verdict.ts';
import { decidedIds, reachByArea, reachOf } from '../reported-requirement.ts';
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
  const decided = decidedIds(run.requirements);
  const ran = new Set([
    PREFLIGHT,
    ...run.checks.flatMap(({ id, outcome }) =>
      outcome === 'skipped' || outcome === 'inconclusive' || isTooShort(id, run) ? [] : [id],
    ),
  ]);
  const isControlled = run.target.control !== null;
  const rows = Object.values(faults).map(({ breaks, withControl, withoutControl }) => {
    const shownBy = isControlled ? withControl : withoutControl;
    return {
      breaks,
      area: findRequirement(breaks)?.area,
      isWithinReach: decided.has(breaks) && shownBy.some((check) => ran.has(check)),
      needsControl: shownBy.length === 0 && withControl.length > 0,
    };
  });
  const byRequirement = [...Map.groupBy(rows, ({ breaks }) => breaks)].map(([requirement, own]) =>
    Object.assign(reachOf({ requirement }, own), {
      needControl: own.filter(({ needsControl }) => needsControl).length,
    }),
  );
  return { ...reachByArea(rows), byRequirement };
}

function isTooShort(check: string, { exploration }: Run): boolean {
  return check === EXPLORE && (exploration?.requests ?? 0) < EXPLORED_FOR_MATRIX;
}
