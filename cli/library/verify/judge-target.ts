import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { VerifyReport } from '../../../reports/index.ts';
import { createRedactor, type Redactor } from '../../../suites/target/index.ts';
import {
  runSuite,
  type RunOptions,
  type RunPlan,
  type RunResult,
  type SeenFailure,
} from '../../../suites/verify/index.ts';
import { redactReport } from '../reported-requirement.ts';
import { buildReport, isDecisive, isUnexpected, type ReportContext } from './report.ts';

/** How a target is judged, and what decides its verdict. */
export interface JudgeTargetOptions
  extends
    Omit<RunOptions, 'selects' | 'asksFor' | 'bail' | 'rankOf' | 'curlOptions' | 'redactor' | 'dryRun'>,
    Omit<ReportContext, 'traffic'> {
  /** Whether the run ends as soon as a requirement has failed that decides the verdict; by default it goes on. */
  readonly bail?: boolean;
}

interface JudgedTarget {
  readonly report: VerifyReport;
  readonly interrupted: boolean;
  /** Why the run ended before any check, or `null`. */
  readonly whyEnded: string | null;
}

/** What a run against one target would do; nothing is sent to it. @returns a report if no run can be planned */
export async function planTarget(
  options: JudgeTargetOptions,
): Promise<{ readonly plan: RunPlan } | JudgedTarget> {
  const redactor = createRedactor();
  const result = await runSuite({ ...runOptionsOf(options), redactor, dryRun: true });
  return result.preflight.state === 'planned' ? { plan: result.plan } : reportOn(result, options, redactor);
}

/** Runs the suite against one target, and reports what it found, without any key. */
export async function judgeTarget(options: JudgeTargetOptions): Promise<JudgedTarget> {
  const redactor = createRedactor();
  const result = await runSuite({ ...runOptionsOf(options), redactor, dryRun: false });
  return reportOn(result, options, redactor);
}

function reportOn(result: RunResult, options: JudgeTargetOptions, { redact }: Redactor): JudgedTarget {
  const { interrupted, preflight } = result;
  return {
    report: redactReport(buildReport(result, options), redact),
    interrupted,
    whyEnded: 'message' in preflight ? redact(preflight.message) : null,
  };
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
