import type { VerifyReport } from '../../../reports/index.ts';
import type { TargetDescription } from '../../../suites/target/index.ts';
import { readConformance, type ConformanceOptions } from '../conformance-options.ts';
import { guardedListener, type OnEvent } from '../guarded-listener.ts';
import { baselineOf } from '../baseline.ts';
import { judgeTarget, type JudgeTargetOptions } from './judge-target.ts';

/** What happens while a target is judged. */
export type VerifyEvent =
  /** Before the first request: how many there will be at most, and which checks send them. */
  | { readonly type: 'plan'; readonly requests: number; readonly checks: readonly string[] }
  | { readonly type: 'check-start'; readonly check: string }
  | {
      readonly type: 'check-end';
      readonly check: string;
      readonly outcome: 'done' | 'inconclusive';
      readonly requests: number;
      readonly durationSeconds: number;
    }
  /** A requirement has failed for the first time. */
  | {
      readonly type: 'failure';
      readonly requirement: string;
      readonly level: 'must' | 'should' | 'observe';
      readonly message: string;
    }
  | { readonly type: 'notice'; readonly message: string };

/** How `verify` judges. */
export interface VerifyCallOptions extends ConformanceOptions {
  /** Failures that are known and accepted for now: the reason of each, by requirement id. */
  readonly expectedFailures?: Readonly<Record<string, string>>;
  /** Ends the run as soon as a requirement has failed that decides the verdict. */
  readonly bail?: boolean;
  /** Requests in random sequences after the checks; needs a control URL. None by default. */
  readonly explore?: number;
  /** What those sequences are drawn with; at random by default. */
  readonly seed?: number;
  /**
   * Ends the run. It then puts back what it changed, and returns the report of what it had judged: inconclusive, unless
   * it had seen a violation.
   */
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent<VerifyEvent>;
}

const SOURCE = 'verify()';
const SEEDS = 2 ** 31;

/**
 * Judges an implementation of the service, as `stockcheck verify` does. It writes nothing to stdout or stderr, and handles
 * no signals. Each change of a quantity is journalled and put back (docs/restoring.md).
 * @param target as a configuration file describes it; a value `"$NAME"` is read from that environment variable
 * @returns the report, without any key; its `verdict` is `conformant`, `nonconformant` or `inconclusive`
 * @throws {ConfigurationError} that names the field or option at fault
 */
export async function verify(
  target: TargetDescription,
  options: VerifyCallOptions = {},
): Promise<VerifyReport> {
  const { expectedFailures = {}, bail = false, explore, seed, signal, onEvent } = options;
  const conformance = readConformance(target, options, SOURCE);
  const { report } = await judgeTarget({
    shrinks: true,
    ...conformance,
    baseline: baselineOf(expectedFailures, `${SOURCE}: expectedFailures`),
    bail,
    ...(explore === undefined
      ? {}
      : {
          explore: {
            requests: explore,
            seed: seed ?? Math.floor(Math.random() * SEEDS),
            shrinking: explore,
          },
        }),
    signal: signal ?? new AbortController().signal,
    listener: listenerOf(guardedListener(onEvent)),
  });
  return report;
}

function listenerOf(tell: OnEvent<VerifyEvent>): JudgeTargetOptions['listener'] {
  return {
    onPlan: ({ budget, checks }) =>
      tell({ type: 'plan', requests: budget.total, checks: checks.map(({ id }) => id) }),
    onCheckStart: ({ id }) => tell({ type: 'check-start', check: id }),
    onCheckEnd: ({ check, outcome, requests, durationSeconds }) =>
      tell({ type: 'check-end', check: check.id, outcome, requests, durationSeconds }),
    onFailure: ({ id, level, message }) => tell({ type: 'failure', requirement: id, level, message }),
    onNotice: (message) => tell({ type: 'notice', message }),
  };
}
