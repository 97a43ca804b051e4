import { spawnSync } from 'node:child_process';

import { beforeAll, describe, expect, test } from 'vitest';

import { INDEPENDENT_TARGETS } from '../../fixtures/targets/index.ts';
import { judge, type TargetJudgement } from './independent-targets.test-data.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const targets = INDEPENDENT_TARGETS.filter(({ runtime }) => runtime === 'node' || hasPython);
const judgements = new Map<string, TargetJudgement | Error>();

// A run mostly waits for windows of a minute to pass, so all of them go side by side.
beforeAll(async () => {
  await Promise.all(
    targets.map(async (target) => {
      const judgement = await judge(target).catch((error: unknown) => new Error(target.id, { cause: error }));
      judgements.set(target.id, judgement);
    }),
  );
}, 600_000);

for (const runtime of ['node', 'python3'] as const) {
  const isMissing = runtime === 'python3' && !hasPython;
  describe.skipIf(isMissing)(
    `in real time, on ${runtime}${isMissing ? ', which is not installed here' : ''}`,
    () => {
      const all = INDEPENDENT_TARGETS.filter((target) => target.runtime === runtime);

      test.for(all.filter(({ breaks }) => breaks.length === 0))('$id is conformant', ({ id }) => {
        const { exitCode, report, failures, undecided } = judgementOf(id);
        expect({ failures, undecided }).toEqual({ failures: {}, undecided: {} });
        expect({ exitCode, verdict: report.verdict }).toEqual({ exitCode: 0, verdict: 'conformant' });
        // A certificate would not hold otherwise.
        const sent = report.checks.reduce((sum, { requests }) => sum + requests, 0);
        expect(sent).toBeLessThanOrEqual(report.budget.spent);
      });

      test.for(all.filter(({ breaks }) => breaks.length > 0))(
        '$id is caught, and nothing else is said of it',
        ({ id, breaks }) => {
          const { report, failures } = judgementOf(id);
          const broken = new Set<string>(breaks);
          const unjust = Object.entries(failures).filter(([requirement]) => !broken.has(requirement));
          expect(unjust).toEqual([]);
          expect(Object.keys(failures)).toContain(breaks[0]);
          expect(report.verdict).toBe('nonconformant');
        },
      );
    },
  );
}

function judgementOf(id: string): TargetJudgement {
  const judgement = judgements.get(id);
  if (judgement === undefined || judgement instanceof Error) {
    throw new Error(`${id} was not judged`, { cause: judgement?.cause });
  }
  return judgement;
}
