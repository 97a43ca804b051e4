import type { RunResult } from '../../suites/verify/index.ts';
import { runForTest } from '../../suites/verify/run-suite.test-data.ts';
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
  const result = await runForTest(
    { ...(control ? description : plain), profile },
    {
      selects: ({ id }) => checks.includes(id),
      banWaitSeconds: 1,
      listener: { onNotice: (notice) => notices.push(notice) },
    },
  );
  return { ...result, notices };
}
