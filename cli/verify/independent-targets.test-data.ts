import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { IndependentTarget } from '../../fixtures/targets/index.ts';
import keyList from '../../fixtures/targets/keys.json' with { type: 'json' };
import type { VerifyReport } from '../../reports/index.ts';
import { verify } from '../library/verify/verify.ts';
import type { TargetDescription } from '../../suites/target/index.ts';
import { readReport, runBinary } from '../run-binary.test-data.ts';

export interface TargetJudgement {
  /** `null` if no process was started. */
  readonly exitCode: number | null;
  readonly report: VerifyReport;
  /** Each failed must with its first finding. */
  readonly failures: Readonly<Record<string, string>>;
  /** Each inconclusive must with the reason. */
  readonly undecided: Readonly<Record<string, string>>;
}

/**
 * Starts the target on a free port, judges it in real time and without a control URL, and ends it in every case. The real
 * command line judges what conforms; the library judges the others side by side, in one process that becomes fast.
 */
export function judge(target: IndependentTarget): Promise<TargetJudgement> {
  return whileTargetRuns(target.command(0), async (url) => {
    const { exitCode, report } =
      target.breaks.length === 0
        ? await judgeByCommandLine(describeTarget(url, target))
        : { exitCode: null, report: await verify(describeTarget(url, target)) };
    return {
      exitCode,
      report,
      failures: mustsOf(report, 'fail'),
      undecided: mustsOf(report, 'inconclusive'),
    };
  });
}

/** Starts a target, hands on the first line that it prints, and ends it in every case. */
export async function whileTargetRuns<Result>(
  [program, ...words]: readonly [program: string, ...words: string[]],
  use: (firstLine: string) => Promise<Result>,
): Promise<Result> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  try {
    return await use(await firstLineOf(child, text(child.stderr)));
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
}

/** Runs `stockcheck verify` with that configuration. */
export async function judgeByCommandLine(
  config: TargetDescription,
): Promise<Pick<TargetJudgement, 'exitCode' | 'report'>> {
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-target-'));
  try {
    writeFileSync(join(directory, 'config.json'), JSON.stringify(config));
    const words = ['verify', '--config', 'config.json', '--json', 'out.json', '--quiet'];
    const { exitCode, stdout, stderr } = await runBinary(words, directory);
    const report = readReport(join(directory, 'out.json'), 'verify');
    if (report === null) {
      throw new Error(`No report; exit code ${exitCode}: ${stdout}${stderr}`);
    }
    return { exitCode, report };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function firstLineOf(
  child: ChildProcessByStdio<null, Readable, Readable>,
  complaints: Promise<string>,
): Promise<string> {
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await Promise.race([lines.next(), failed]);
  if (first.done === true) {
    throw new Error(`The target ended before it listened: ${await complaints}`);
  }
  child.stdout.resume();
  return first.value;
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
