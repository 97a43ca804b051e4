import { isDeepStrictEqual } from 'node:util';

import { findRequirement, SERVER_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import {
  fingerprintOf,
  reportCauses,
  type JudgedAgain,
  type ReportedRequirement,
  type VerifyReport,
  withSubject,
} from '../../../reports/index.ts';
import type { Judgement } from '../../../suites/oracle/index.ts';
import type { TranscriptJudgement } from '../../../suites/target/index.ts';
import { powerOf } from '../verify/power.ts';
import { decide } from '../verify/report.ts';

/** What a transcript of a target showed, in figures. */
export function figuresOfTranscript({
  judgements,
  requests,
  histories,
  statuses,
  byKey,
}: TranscriptJudgement): JudgedAgain {
  return {
    exchanges: requests,
    histories,
    statuses: Object.fromEntries(statuses),
    requestsByKey: Object.fromEntries(byKey),
    requirements: figuresByRequirement(SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id))),
  };
}

/** How often what was judged held and failed. */
export function figuresByRequirement(judgements: readonly Judgement[]): JudgedAgain['requirements'] {
  return judgements.flatMap(({ id, tallies }) => {
    const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
    const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
    return passed + failed === 0 ? [] : [{ id, passed, failed }];
  });
}

/** Where an attested report contradicts itself, whatever the transcript shows; of a report of this version. */
export function contradictionsWithin(report: VerifyReport): readonly string[] {
  const { requirements, level, observations, verdict, scope, power, fingerprint, checks } = report;
  const unlike = requirements.find((row) => !isAsInRegister(row));
  const parts: readonly (readonly [differs: boolean, message: string])[] = [
    [unlike !== undefined, `${unlike?.id} does not stand so in the register.`],
    [
      !isDeepStrictEqual(idsOf(report.causes), idsOf(reportCauses({ requirements, level }))),
      'The causes do not follow from the requirements.',
    ],
    [
      fingerprint !== (fingerprintOf(observations) ?? undefined),
      'The fingerprint is not that of the observations.',
    ],
    [
      checks.length > 0 && !isDeepStrictEqual(power, powerOf(report)),
      'The power of the run does not follow from its checks and the kill matrix.',
    ],
    [!followsVerdict(report), `The verdict ${verdict} does not follow from the requirements.`],
    [!saysScope(report), `The scope ${JSON.stringify(scope)} does not follow from the requirements.`],
    [
      report.checks.reduce((sum, { requests }) => sum + requests, 0) > report.budget.spent,
      'The checks sent more requests than the run.',
    ],
  ];
  return parts.filter(([differs]) => differs).map(([, message]) => message);
}

/** What is a cause of what is seen in the evidence, which a certificate does not hold; what failed is seen without. */
function idsOf(causes: VerifyReport['causes']): readonly string[] {
  const explained = (causes ?? []).flatMap(({ explains }) => explains);
  return (causes ?? [])
    .map(({ requirement }) => requirement)
    .concat(explained)
    .toSorted();
}

function isAsInRegister(row: ReportedRequirement): boolean {
  const known = findRequirement(row.id);
  return (
    known !== undefined &&
    known.level === row.level &&
    known.statement === row.title &&
    known.clause === row.clause &&
    known.reading === row.reading &&
    known.area === row.area &&
    known.since === row.since &&
    (row.outcome !== 'pass' || row.evidence > 0) &&
    (row.outcome !== 'fail' || row.findings.length > 0) &&
    (row.outcome !== 'pass' || row.findings.length === 0)
  );
}

/** A verdict may be worse than its requirements if the run was cut short; never better. */
function followsVerdict({ requirements, level, verdict, problems }: VerifyReport): boolean {
  const isStale = problems.some((problem) => problem.startsWith('The baseline expects '));
  const decided = decide(requirements, level, false, isStale);
  return verdict === decided || (verdict === 'inconclusive' && decided === 'conformant');
}

const EMBEDDED = withSubject('', true);

function saysScope({ requirements, verdict, scope, profile, target }: VerifyReport): boolean {
  const musts = requirements.filter((row) => row.level === 'must' && row.newer !== true);
  const judged = musts.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail').length;
  return (
    scope.startsWith(`${verdict} in profile ${profile}: `) &&
    scope.includes(`${judged} of ${musts.length} MUSTs judged`) &&
    withSubject(scope.replace(EMBEDDED, ''), target.embedded === true) === scope
  );
}

/** Rows of a report that say something else than its transcript, judged again. */
export function contradictionsWithTranscript(
  report: VerifyReport,
  { requirements: judged }: Pick<JudgedAgain, 'requirements'>,
): readonly string[] {
  const figures = new Map<string, JudgedAgain['requirements'][number]>(judged.map((row) => [row.id, row]));
  return report.requirements.flatMap(({ id, outcome }) => {
    const failed = figures.get(id)?.failed ?? 0;
    return failed > 0 && (outcome === 'pass' || outcome === 'skipped')
      ? [
          `${id} is attested as ${outcome}, and the oracle finds it violated ${failed} times in the transcript.`,
        ]
      : [];
  });
}
