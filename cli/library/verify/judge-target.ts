import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { VerifyReport } from '../../../reports/index.ts';
import { createRedactor } from '../../../suites/target/index.ts';
import { runSuite, type RunOptions, type RunPlan, type SeenFailure } from '../../../suites/verify/index.ts';
import { redactReport } from '../redact-report.ts';
import { buildReport, isDecisive, isUnexpected, type ReportContext } from './report.ts';

/** How a target is judged, and what decides its verdict. */
export interface JudgeTargetOptions
  extends
    Omit<RunOptions, 'selects' | 'asksFor' | 'bail' | 'rankOf' | 'curlOptions' | 'redactor' | 'dryRun'>,
    Omit<ReportContext, 'traffic'> {
  /** Whether the run ends as soon as a requirement has failed that decides the verdict; by default it goes on. */
  readonly bail?: boolean;
}

/** What a run against one target would do; nothing is sent. */
export async function planTarget(options: JudgeTargetOptions): Promise<RunPlan> {
  const { plan } = await runSuite({ ...runOptionsOf(options), dryRun: true });
  return plan;
}

/** Runs the suite against one target, and reports what it found, without any key. */
export async function judgeTarget(
  options: JudgeTargetOptions,
): Promise<{ readonly report: VerifyReport; readonly interrupted: boolean }> {
  const redactor = createRedactor();
  const result = await runSuite({ ...runOptionsOf(options), redactor, dryRun: false });
  const report = redactReport(buildReport(result, options), redactor.redact);
  return { report, interrupted: result.interrupted };
}

function runOptionsOf({ bail = false, selection, repetition, ...options }: JudgeTargetOptions) {
  const context = { ...options, selection };
  const { listener } = options;
  return {
    ...options,
    listener: {
      ...listener,
      onFailure: (failure: SeenFailure): void => {
        if (isUnexpected(failure.id, context)) {
          listener.onFailure?.(failure);
        }
      },
    },
    ...(selection === null ? {} : { selects: selection.check, asksFor: selection.requirement }),
    ...(bail ? { bail: (id: RequirementId) => isDecisive(id, context) } : {}),
    ...(repetition === undefined ? {} : { curlOptions: repetition.curlOptions }),
  };
}
