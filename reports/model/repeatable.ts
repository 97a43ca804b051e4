import type { Trail } from '../../contract/trail.ts';
import { EXPLORE, type Finding } from '../../contract/verdict.ts';
import type { Report, ReportedExploration } from './report.ts';

/** A finding that can be repeated. */
export interface RepeatableFinding {
  /** Such as `update-sets-1`: the requirement, and which of its findings it is. */
  readonly id: string;
  readonly requirement: string;
  /** The statement of the requirement. */
  readonly title: string;
  readonly clause: string;
  readonly message: string;
  /** Id of the check that found it; `null` if the report does not say. */
  readonly check: string | null;
  readonly trail: Trail;
  /** Ids of the checks that the run performed; others than the one that found it may have had a part in it. */
  readonly checks: readonly string[];
  /** What was explored, if that found it. */
  readonly exploration: Pick<ReportedExploration, 'seed' | 'requests'> | null;
  /** Base address of the service, and its control URL if it has one. */
  readonly target: string;
  readonly control: string | null;
}

/** The id of a finding of a requirement. @param index from 0 */
export function findingId(requirement: string, index: number): string {
  return `${requirement}-${index + 1}`;
}

/** The findings of failed requirements that have a trail. */
export function repeatableFindings(report: Report): readonly RepeatableFinding[] {
  if (report.kind === 'certify') {
    return [];
  }
  const { target, requirements } = report;
  const { exploration = null, checks = [] } = report.kind === 'verify' ? report : {};
  return requirements
    .filter(({ outcome }) => outcome === 'fail')
    .flatMap(({ id, title, clause, findings }) =>
      findings.flatMap(({ message, check, trail }: Finding, index) =>
        trail === undefined
          ? []
          : [
              {
                id: findingId(id, index),
                requirement: id,
                title,
                clause,
                message,
                check: check ?? null,
                trail,
                checks: checks.map((performed) => performed.id),
                exploration: check === EXPLORE ? exploration : null,
                target: target.url,
                control: target.control,
              },
            ],
      ),
    );
}
