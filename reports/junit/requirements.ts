import type { Finding } from '../../contract/verdict.ts';
import { proofBlocks } from '../document/run.ts';
import { listedFailures } from '../model/attention.ts';
import { followsText, tallyText } from '../model/findings.ts';
import { observationText } from '../model/observations.ts';
import type { Report, ReportedRequirement } from '../model/report.ts';
import { groupByArea, isBinding, reasonOf } from '../model/requirement-groups.ts';
import { newerTitle } from '../model/run.ts';
import { paragraphs, printableBlock, printableLine } from '../model/words.ts';
import { blocksText } from '../terminal/document.ts';

/** How a CI server counts a case; all texts are printable. */
export type TestResult =
  | {
      readonly status: 'failure' | 'error';
      readonly message: string;
      /** What kind of failure it is. */
      readonly type: string;
      readonly text: string;
    }
  | { readonly status: 'skipped'; readonly message: string; readonly text: string }
  | { readonly status: 'passed'; readonly text: string };

export interface TestCase {
  readonly name: string;
  readonly seconds: number;
  readonly result: TestResult;
}

export interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
}

/** Longest body shown of a request or a response, in characters. */
const BODY_LIMIT = 4000;
const STEPS_SHOWN = 8;

/** A suite per area with a case per requirement. */
export function requirementSuites(report: Report): readonly TestSuite[] {
  const seconds = secondsByRequirement(report);
  const roots = new Map(listedFailures(report).map(({ row, root }) => [row.id, root]));
  return groupByArea(report.requirements).map(([area, requirements]) => ({
    name: `stockcheck.${printableLine(area)}`,
    cases: requirements.map((requirement) => ({
      name: printableLine(`${requirement.id}: ${requirement.title}`),
      seconds: seconds.get(requirement.id) ?? 0,
      result: following(resultOf(report, requirement), roots.get(requirement.id) ?? null),
    })),
  }));
}

/** What says of a failure that another one explains it. */
function following(result: TestResult, root: string | null): TestResult {
  return root === null || !('message' in result)
    ? result
    : { ...result, message: `${result.message} ${followsText(root)}` };
}

/**
 * A check's time is shared among the requirements that it judged, so that the sum stays right.
 * With certify and load, the scenarios have the time.
 */
function secondsByRequirement(report: Report): ReadonlyMap<string, number> {
  if (report.kind !== 'verify') {
    return new Map();
  }
  const { checks, requirements } = report;
  const judged = Map.groupBy(
    requirements.flatMap(({ checks }) => checks),
    (id) => id,
  );
  const shares = new Map(
    checks.map(({ id, durationSeconds }) => [id, durationSeconds / (judged.get(id)?.length ?? 1)]),
  );
  return new Map(
    requirements.map(({ id, checks }) => [
      id,
      checks.reduce((sum, check) => sum + (shares.get(check) ?? 0), 0),
    ]),
  );
}

function resultOf(report: Report, requirement: ReportedRequirement): TestResult {
  const { outcome, level, clause, expectedFailure, newer, findings } = requirement;
  const text = paragraphs(findings.map(findingText));
  const decides = isBinding(report, requirement);
  switch (outcome) {
    case 'fail':
      if (expectedFailure === true) {
        return { status: 'skipped', message: `expected failure: ${messageOf(requirement)}`, text };
      }
      if (newer === true) {
        return { status: 'skipped', message: `${newerTitle(report)}: ${messageOf(requirement)}`, text };
      }
      return decides
        ? {
            status: 'failure',
            message: messageOf(requirement),
            type: `${level}: ${printableLine(clause)}`,
            text,
          }
        : passed(report, requirement, text);
    case 'inconclusive': {
      const message = printableLine(reasonOf(requirement));
      return decides
        ? { status: 'error', message, type: 'inconclusive', text }
        : { status: 'skipped', message: `inconclusive: ${message}`, text };
    }
    case 'skipped':
      return { status: 'skipped', message: printableLine(reasonOf(requirement)), text };
    default:
      return passed(report, requirement, text);
  }
}

function passed({ observations }: Report, requirement: ReportedRequirement, evidence: string): TestResult {
  const { id, level, outcome } = requirement;
  const observation = observations[id];
  const parts = [
    observation === undefined ? '' : `observed: ${observationText(observation)}`,
    outcome === 'fail' ? `${level} not met: ${messageOf(requirement)}` : '',
    evidence,
  ];
  return { status: 'passed', text: paragraphs(parts) };
}

function messageOf({ findings, title, tally }: ReportedRequirement): string {
  const times = tally === undefined ? '' : ` ${tallyText(tally)}`;
  return `${printableLine(findings[0]?.message ?? title)}${times}`;
}

/** A finding with its steps, the lines that repeat it, and its exchange. */
export function findingText(finding: Finding): string {
  return paragraphs([
    printableBlock(finding.message),
    blocksText(proofBlocks(finding, STEPS_SHOWN, BODY_LIMIT)),
  ]);
}
