import { findRequirement } from '../../../contract/requirements/index.ts';
import type { ReportedPower, VerifyReport } from '../../../reports/index.ts';
import { EXPLORE } from '../../../contract/verdict.ts';
import { enumeration } from '../../../contract/words/enumeration.ts';
import { CHECKS } from '../../../suites/verify/index.ts';
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

const REAL_TIME_ONLY = new Set(CHECKS.filter(({ needs }) => needs.realTimeOnly === true).map(({ id }) => id));

type Run = Pick<VerifyReport, 'requirements' | 'checks' | 'exploration'> & {
  readonly target: Pick<VerifyReport['target'], 'control'>;
};

/**
 * How many known faults a run could have caught: those that break a requirement which it decided, and that a check which it
 * ran to its end is known to show, with the control contract or without as in the run.
 */
export function powerOf(run: Run, faults = KNOWN_FAULTS): ReportedPower {
  const decided = decidedIds(run.requirements);
  const ran = ranIn(run);
  const rows = Object.values(faults).map((fault) => {
    const { breaks, withControl } = fault;
    const shownBy = shownIn(run, fault);
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

/**
 * Why what nothing violated is no pass, by the id of the requirement: most of the known faults that break it would have
 * shown only in checks that were left out.
 * @param leftOut why a check was left out, by its id
 */
export function whyUnearned(
  run: Run,
  leftOut: ReadonlyMap<string, string>,
  faults = KNOWN_FAULTS,
): ReadonlyMap<string, string> {
  const ran = new Set([...ranIn(run)].map(whateverPlan));
  const shownBy = Map.groupBy(
    Object.values(faults).map((fault) => ({ id: fault.breaks, checks: shownIn(run, fault) })),
    ({ id }) => id,
  );
  return new Map(
    run.requirements.flatMap(({ id, outcome }) => {
      const lists = (shownBy.get(id) ?? []).map(({ checks }) => checks);
      const shown = lists.filter((checks) => checks.some((check) => ran.has(whateverPlan(check))));
      const missed = lists.filter(
        (checks) => !shown.includes(checks) && checks.some((check) => leftOut.has(check)),
      );
      return outcome === 'pass' && missed.length > shown.length
        ? [[id, describeUnearned(shown.length, missed, leftOut)] as const]
        : [];
    }),
  );
}

function describeUnearned(
  shown: number,
  missed: readonly (readonly string[])[],
  leftOut: ReadonlyMap<string, string>,
): string {
  const checks = [...new Set(missed.flat())].filter((check) => leftOut.has(check)).toSorted();
  const why = Map.groupBy(checks, (check) => leftOut.get(check) ?? '');
  const reasons = [...why].map(([reason, ids]) => `${reason.replace(/\.$/, '')} (${enumeration(ids)}).`);
  return `Nothing violated it, but this run could have caught only ${shown} of ${shown + missed.length} known faults that break it. Checks that show the others were left out. ${reasons.join(' ')}`;
}

// The minute or the day of one plan shows what that of another does, however the day is used up.
function whateverPlan(check: string): string {
  return check
    .replace(/^minute-limit-.*/, 'minute-limit')
    .replace(/^day-limit-.*|^patient-day$/, 'day-limit');
}

/** What was carried out to its end. */
function ranIn(run: Run): ReadonlySet<string> {
  const ran = run.checks.filter(
    ({ id, outcome, requests }) =>
      outcome !== 'skipped' && outcome !== 'inconclusive' && requests > 0 && !isTooShort(id, run),
  );
  return new Set([PREFLIGHT, ...ran.map(({ id }) => id)]);
}

/** A control URL without keys or without a clock leaves to checks what they do in real time. */
function shownIn({ target, checks }: Run, { withControl, withoutControl }: KnownFault): readonly string[] {
  const isPartly = checks.some(({ id, requests }) => requests > 0 && REAL_TIME_ONLY.has(id));
  return target.control === null
    ? withoutControl
    : isPartly
      ? [...withControl, ...withoutControl]
      : withControl;
}

function isTooShort(check: string, { exploration }: Run): boolean {
  return check === EXPLORE && (exploration?.requests ?? 0) < EXPLORED_FOR_MATRIX;
}
