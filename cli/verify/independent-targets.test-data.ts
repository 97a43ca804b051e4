import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { IndependentTarget } from '../../fixtures/targets/index.ts';
import keyList from '../../fixtures/targets/keys.json' with { type: 'json' };
import type { Report, VerifyReport } from '../../reports/index.ts';
import { resolveTargetConfig, type TargetDescription } from '../../suites/target/index.ts';
import { runForTest } from '../../suites/verify/run-suite.test-data.ts';
import { readReport, runBinary } from '../run-binary.test-data.ts';
import { packageVersion } from '../library/version.ts';
import { buildReport } from '../library/verify/report.ts';

export interface Judgement {
  readonly verdict: Report['verdict'];
  /** Each failed must with its first finding. */
  readonly failures: Readonly<Record<string, string>>;
  /** Each inconclusive must with the reason. */
  readonly undecided: Readonly<Record<string, string>>;
}

/**
 * Starts the target on a free port, judges it in profile full, in real time and without a control URL, and ends it in
 * every case.
 */
export async function judge(target: IndependentTarget, manner: Manner): Promise<Judgement> {
  const [program, ...words] = target.command(0);
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const complaints = text(child.stderr);
  try {
    const description = describeTarget(await baseAddressOf(child, complaints));
    const report = await (manner === 'command line' ? judgeByCommand : judgeHere)(description);
    return {
      verdict: report.verdict,
      failures: mustsOf(report, 'fail'),
      undecided: mustsOf(report, 'inconclusive'),
    };
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
}

/** The command line as users have it, or the same suite in this process, which takes a fifth of the processor time. */
export type Manner = 'command line' | 'in process';

const EXIT_CODES = { conformant: 0, nonconformant: 1, inconclusive: 3 } as const;

async function judgeByCommand(description: TargetDescription): Promise<VerifyReport> {
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-target-'));
  try {
    writeFileSync(join(directory, 'config.json'), JSON.stringify(description));
    const words = ['verify', '--config', 'config.json', '--json', 'out.json', '--quiet'];
    const { exitCode, stdout, stderr } = await runBinary(words, directory);
    const report = readReport(join(directory, 'out.json'), 'verify');
    if (report === null || exitCode !== EXIT_CODES[report.verdict]) {
      throw new Error(`Exit code ${exitCode}, report ${report?.verdict ?? 'missing'}: ${stdout}${stderr}`);
    }
    return report;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function judgeHere(description: TargetDescription): Promise<VerifyReport> {
  const result = await runForTest(description, { banWaitSeconds: 120 });
  return buildReport(result, {
    config: resolveTargetConfig(description),
    level: 'must',
    selection: null,
    baseline: new Map(),
    version: packageVersion(),
  });
}

/** The first line that the target prints. */
async function baseAddressOf(
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

function describeTarget(target: string): TargetDescription {
  const enterprise = keyList.keys
    .filter(({ plan }) => plan === 'enterprise')
    .map(({ key, perMinute, perDay }) => ({ key, perMinute, perDay }));
  return {
    target,
    keys: { free: keysOf('free'), pro: keysOf('pro'), business: keysOf('business'), enterprise },
    revokedKeys: keyList.revoked,
    pets: { existing: ['1', '42', '2147483648', '9007199254740993'], missing: '404404404' },
    profile: 'full',
  };
}

function keysOf(plan: string): readonly string[] {
  return keyList.keys.filter((client) => client.plan === plan).map(({ key }) => key);
}

function mustsOf(
  { requirements }: Report,
  outcome: 'fail' | 'inconclusive',
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    requirements
      .filter((requirement) => requirement.level === 'must' && requirement.outcome === outcome)
      .map(({ id, findings }) => [id, findings[0]?.message ?? '']),
  );
}
