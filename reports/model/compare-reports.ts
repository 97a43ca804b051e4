import type { ComparedMeasure } from '../../contract/load-result.ts';
import type { Outcome } from '../../contract/verdict.ts';
import { machineText } from './load.ts';
import type { Observation, Report, ReportedRequirement } from './report.ts';
import { isBinding } from './requirement-groups.ts';

/**
 * How an outcome changed: `broken` fails now and did not before, `fixed` failed and passes now, `lost` is no longer
 * judged, `gained` passes now and was not judged before, `other` is anything else.
 */
export type Turn = 'broken' | 'lost' | 'fixed' | 'gained' | 'other';

type Row = Pick<ReportedRequirement, 'id' | 'outcome'>;

/** A requirement or scenario whose outcome changed; `null` if that report has no such row. */
export interface OutcomeChange<Changed extends Row = Row> {
  /** Of the later report, or of the earlier one if the later has no such row. */
  readonly row: Changed;
  readonly before: Outcome | null;
  readonly after: Outcome | null;
  readonly turn: Turn;
  /** Whether the verdict of the later report depends on it. */
  readonly decides: boolean;
}

/** `undefined` if it was not observed. */
interface ObservationChange {
  readonly name: string;
  readonly before: Observation | undefined;
  readonly after: Observation | undefined;
}

/** How a later report differs from an earlier one. */
export type ReportComparison = ReturnType<typeof compareReports>;

/** The result of a comparison; `less` if something is no longer judged. */
export type Trend = 'worse' | 'less' | 'not worse';

/** @param measures of loads, else none */
export function trendOf(
  { requirements, scenarios }: ReportComparison,
  measures: readonly Pick<ComparedMeasure, 'judgement'>[],
  leftOut: readonly string[] = [],
): Trend {
  const turns = new Set(
    [...requirements, ...scenarios].filter(({ decides }) => decides).map(({ turn }) => turn),
  );
  if (turns.has('broken') || measures.some(({ judgement }) => judgement === 'worse')) {
    return 'worse';
  }
  const hasNone = measures.length === 0 && leftOut.length > 0;
  return hasNone || turns.has('lost') ? 'less' : 'not worse';
}

/** Compares two reports of one kind, in the order of the later one. */
export function compareReports(before: Report, after: Report) {
  const failedBefore = new Set(before.requirements.filter(hasFailed).map(({ id }) => id));
  return {
    /** Of the levels must and should; `observations` has the others. */
    requirements: outcomeChanges(
      before.requirements,
      after.requirements,
      (row) => isBinding(after, row) && row.expectedFailure !== true,
    ).filter(({ row }) => row.level !== 'observe'),
    /** Requirements that fail in both. */
    failing: after.requirements.filter((row) => hasFailed(row) && failedBefore.has(row.id)),
    /** Of `certify` and `load`. What a client did wrong in a scenario counts by its requirement. */
    scenarios: outcomeChanges(scenariosOf(before), scenariosOf(after), () => after.kind === 'load'),
    observations: observationChanges(before, after),
    /** In sentences: why a difference may come from how the reports were made. */
    caveats: caveatsOf(before, after),
  };
}

function hasFailed({ outcome }: Row): boolean {
  return outcome === 'fail';
}

function outcomeChanges<Changed extends Row>(
  before: readonly Changed[],
  after: readonly Changed[],
  decides: (row: Changed) => boolean,
): readonly OutcomeChange<Changed>[] {
  const earlier = new Map(before.map((row) => [row.id, row]));
  const later = new Map(after.map((row) => [row.id, row]));
  return [...new Set([...later.keys(), ...earlier.keys()])].flatMap((id) => {
    const [was, is] = [earlier.get(id), later.get(id)];
    const row = is ?? was;
    if (row === undefined || was?.outcome === is?.outcome) {
      return [];
    }
    const [from, to] = [was?.outcome ?? null, is?.outcome ?? null];
    return [{ row, before: from, after: to, turn: turnOf(from, to), decides: decides(row) }];
  });
}

function turnOf(before: Outcome | null, after: Outcome | null): Turn {
  if (after === 'fail') {
    return 'broken';
  }
  const [wasJudged, isJudged] = [before, after].map((outcome) => outcome === 'pass' || outcome === 'fail');
  if (wasJudged === true && isJudged === false) {
    return 'lost';
  }
  if (isJudged === true) {
    return before === 'fail' ? 'fixed' : 'gained';
  }
  return 'other';
}

function scenariosOf(report: Report): readonly Row[] {
  return report.kind === 'verify' ? [] : report.scenarios;
}

function observationChanges(before: Report, after: Report): readonly ObservationChange[] {
  const names = new Set([...Object.keys(after.observations), ...Object.keys(before.observations)]);
  return [...names]
    .map((name) => ({ name, before: before.observations[name], after: after.observations[name] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

function caveatsOf(before: Report, after: Report): readonly string[] {
  return [
    ...(before.profile === after.profile
      ? []
      : [`A was made in profile ${before.profile}, B in profile ${after.profile}.`]),
    ...(before.level === after.level
      ? []
      : [`Level ${before.level} decides the verdict of A, level ${after.level} that of B.`]),
    ...(before.suite.version === after.suite.version
      ? []
      : [`A was made by stockcheck ${before.suite.version}, B by ${after.suite.version}.`]),
    ...machineCaveat(before, after),
    ...(after.startedAt < before.startedAt ? ['B is older than A.'] : []),
  ];
}

/** Figures from two machines also show how the machines differ. */
function machineCaveat(before: Report, after: Report): readonly string[] {
  const [was, is] = [before, after].map((report) =>
    report.kind === 'load' && report.environment !== undefined ? machineText(report.environment) : null,
  );
  return was === undefined || is === undefined || was === null || is === null || was === is
    ? []
    : [`A was made on ${was}; B on ${is}.`];
}
