import { runSuite, type RunResult } from '../../suites/verify/index.ts';
import { resolveTargetConfig } from '../../suites/target/index.ts';
import type { Profile } from '../../contract/verdict.ts';
import type { TestTarget } from './run.test-data.ts';

export interface JudgeInProcessOptions {
  /** Default standard. */
  readonly profile?: Profile;
  /** Whether the run knows the control URL. */
  readonly control?: boolean;
  /** Ids; default one that only reads. */
  readonly checks?: readonly string[];
}

/** Judges a target as `stockcheck verify` does, without a process of its own. */
export async function judgeInProcess(
  { description }: Pick<TestTarget, 'description'>,
  { profile = 'standard', control = false, checks = ['list'] }: JudgeInProcessOptions = {},
): Promise<RunResult & { readonly notices: readonly string[] }> {
  const { control: _control, ...plain } = description;
  const notices: string[] = [];
  const result = await runSuite({
    config: resolveTargetConfig({ ...(control ? description : plain), profile }),
    selects: ({ id }) => checks.includes(id),
    long: false,
    banWaitSeconds: 1,
    transport: { timeoutMilliseconds: 10_000, insecure: false, certificateAuthority: null },
    headers: [],
    dryRun: false,
    signal: new AbortController().signal,
    listener: { onNotice: (notice) => notices.push(notice) },
  });
  return { ...result, notices };
}
