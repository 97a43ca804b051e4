import { LATEST_SET, type RequirementSet } from '../../../contract/requirements/index.ts';
import type { VerifyReport } from '../../../reports/index.ts';
import { createRedactor } from '../../../suites/target/index.ts';
import { runSuite, type RunResult, type Selection } from '../../../suites/verify/index.ts';
import { redactReport } from '../redact-report.ts';
import type { Repetition } from '../repetition.ts';
import { packageVersion } from '../version.ts';
import type { Baseline } from './baseline.ts';
import { buildReport, isDecisive, isUnexpected } from './report.ts';

/** How a target is judged, and what decides its verdict. */
export interface JudgeTargetOptions extends Omit<
  Parameters<typeof runSuite>[0],
  'selects' | 'bail' | 'rankOf' | 'curlOptions' | 'redactor'
> {
  /** Whether the target is the embedded reference server. */
  readonly embedded: boolean;
  readonly selection: Selection | null;
  readonly level: 'must' | 'should';
  /** What decides; the newest set by default. */
  readonly requirementSet?: RequirementSet;
  readonly baseline: Baseline;
  /** Whether the run ends as soon as a requirement has failed that decides the verdict. */
  readonly bail: boolean;
  /** How a check is run again from a shell; findings have no such line if it is absent. */
  readonly repetition?: Repetition;
}

export type JudgedTarget =
  /** A dry run: nothing was sent. */
  | { readonly state: 'planned'; readonly result: RunResult }
  | {
      readonly state: 'judged';
      readonly report: VerifyReport;
      readonly interrupted: boolean;
    };

/** Runs the suite against one target, and reports what it found, without any key. */
export async function judgeTarget(options: JudgeTargetOptions): Promise<JudgedTarget> {
  const {
    selection,
    bail,
    repetition,
    embedded,
    level,
    requirementSet = LATEST_SET,
    baseline,
    ...run
  } = options;
  const redactor = createRedactor();
  const result = await runSuite({
    ...run,
    listener: {
      ...run.listener,
      onFailure: (failure) => {
        if (isUnexpected(failure.id, options)) {
          run.listener.onFailure?.(failure);
        }
      },
    },
    ...(selection === null ? {} : { selects: selection.check, asksFor: selection.requirement }),
    ...(bail ? { bail: (id) => isDecisive(id, options) } : {}),
    ...(repetition === undefined ? {} : { curlOptions: repetition.curlOptions }),
    redactor,
  });
  if (result.preflight.state === 'planned') {
    return { state: 'planned', result };
  }
  const { config } = run;
  const report = buildReport(result, {
    config,
    embedded,
    level,
    requirementSet,
    selection,
    baseline,
    ...(repetition === undefined ? {} : { repetition }),
    version: packageVersion(),
  });
  return {
    state: 'judged',
    report: redactReport(report, redactor.redact),
    interrupted: result.interrupted,
  };
}
