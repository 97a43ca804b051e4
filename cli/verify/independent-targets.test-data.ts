import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { IndependentTarget } from '../../fixtures/targets/index.ts';
import keyList from '../../fixtures/targets/keys.json' with { type: 'json' };
import type { Report } from '../../reports/index.ts';
import { readReport, runBinary } from '../run-binary.test-data.ts';

export interface TargetJudgement {
  readonly exitCode: number | null;
  readonly report: Report;
  /** Each failed must with its first finding. */
  readonly failures: Readonly<Record<string, string>>;
  /** Each inconclusive must with the reason. */
  readonly undecided: Readonly<Record<string, string>>;
}

/**
 * Starts the target on a free port, judges it with the real command line in profile full, in real time and
 * without a control URL, and ends it in every case.
 */
export async function judge(target: IndependentTarget): Promise<TargetJudgement> {
  const [program, ...words] = target.command(0);
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const complaints = text(child.stderr);
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-target-'));
  try {
    const url = await baseAddressOf(child, complaints);
    writeFileSync(join(directory, 'config.json'), JSON.stringify(describeTarget(url)));
    const { exitCode, stdout, stderr } = await runBinary(
      ['verify', '--config', 'config.json', '--json', 'out.json', '--quiet'],
      directory,
    );
    const report = readReport(join(directory, 'out.json'), 'verify');
    if (report === null) {
      throw new Error(`No report on ${target.id}; exit code ${exitCode}: ${stdout}${stderr}`);
    }
    return {
      exitCode,
      report,
      failures: mustsOf(report, 'fail'),
      undecided: mustsOf(report, 'inconclusive'),
    };
  } finally {
    child.kill('SIGTERM');
    await closed;
    rmSync(directory, { recursive: true, force: true });
  }
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

function describeTarget(target: string): object {
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
