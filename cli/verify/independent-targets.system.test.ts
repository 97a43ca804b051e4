import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { directoryOfFile } from '../../contract/temporary-directory.test-data.ts';
import { INDEPENDENT_TARGETS, type IndependentTarget } from '../../fixtures/targets/index.ts';
import keyList from '../../fixtures/targets/keys.json' with { type: 'json' };
import type { VerifyReport } from '../../reports/index.ts';
import type { TargetDescription } from '../../suites/target/index.ts';
import { verify } from '../library/verify/verify.ts';
import { verifyTarget, whileTargetRuns } from './run.test-data.ts';

interface TargetJudgement {
  /** `null` if no process was started. */
  readonly exitCode: number | null;
  readonly report: VerifyReport | null;
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
const targets = INDEPENDENT_TARGETS.filter(({ runtime }) => runtime === 'node' || hasPython);
const judgements = new Map<string, TargetJudgement | Error>();
const directory = directoryOfFile();

/**
 * Judges a target on a free port, in real time and without a control URL. The real command line judges what conforms; the
 * library judges the others side by side, in one process that becomes fast.
 */
function judge(target: IndependentTarget): Promise<TargetJudgement> {
  return whileTargetRuns(target.command(0), async (url) => {
    const description = describeTarget(url, target);
    return target.breaks.length === 0
      ? verifyTarget(description, ['--quiet'], mkdtempSync(join(directory, 'run-')))
      : { exitCode: null, report: await verify(description) };
  });
}

function describeTarget(url: string, { breaks, showsInAnyProfile }: IndependentTarget): TargetDescription {
  const enterprise = keyList.keys
    .filter(({ plan }) => plan === 'enterprise')
    .map(({ key, perMinute, perDay }) => ({ key, perMinute, perDay }));
  return {
    target: url,
    keys: { free: keysOf('free'), pro: keysOf('pro'), business: keysOf('business'), enterprise },
    revokedKeys: keyList.revoked,
    pets: { existing: ['1', '42', '2147483648', '9007199254740993'], missing: '404404404' },
    profile: breaks.length > 0 && showsInAnyProfile ? 'standard' : 'full',
  };
}

function keysOf(plan: string): readonly string[] {
  return keyList.keys.filter((client) => client.plan === plan).map(({ key }) => key);
}

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
        const { exitCode, report } = judgementOf(id);
        expect({ fail: mustsOf(report, 'fail'), inconclusive: mustsOf(report, 'inconclusive') }).toEqual({
          fail: {},
          inconclusive: {},
        });
        expect({ exitCode, verdict: report.verdict }).toEqual({ exitCode: 0, verdict: 'conformant' });
        // A certificate would not hold otherwise.
        const sent = report.checks.reduce((sum, { requests }) => sum + requests, 0);
        expect(sent).toBeLessThanOrEqual(report.budget.spent);
      });

      test.for(all.filter(({ breaks }) => breaks.length > 0))(
        '$id is caught, and nothing else is said of it',
        ({ id, breaks }) => {
          const { report } = judgementOf(id);
          const failures = mustsOf(report, 'fail');
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

function judgementOf(id: string): TargetJudgement & { readonly report: VerifyReport } {
  const judgement = judgements.get(id);
  if (judgement === undefined || judgement instanceof Error) {
    throw new Error(`${id} was not judged`, { cause: judgement?.cause });
  }
  const { exitCode, report } = judgement;
  if (report === null) {
    throw new Error(`There is no report of ${id}; exit code ${exitCode}`);
  }
  return { exitCode, report };
}

/** Each must with that outcome, with what was found or why it was left open. */
function mustsOf(
  { requirements }: VerifyReport,
  outcome: 'fail' | 'inconclusive',
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    requirements
      .filter((requirement) => requirement.level === 'must' && requirement.outcome === outcome)
      .map(({ id, findings }) => [id, findings[0]?.message ?? '']),
  );
}
