import { resolveTargetConfig, type TargetDescription } from '../target/index.ts';
import { runSuite, type RunOptions, type RunResult } from './run.ts';

/** Judges a target in this process, with what a test wants of the run beside the target. */
export function runForTest(
  description: TargetDescription,
  changes: Partial<RunOptions> = {},
): Promise<RunResult> {
  return runSuite({
    config: resolveTargetConfig(description),
    long: false,
    banWaitSeconds: 60,
    transport: { timeoutMilliseconds: 30_000, insecure: false, certificateAuthority: null },
    headers: [],
    dryRun: false,
    signal: new AbortController().signal,
    listener: {},
    ...changes,
  });
}
