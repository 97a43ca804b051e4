import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { temporaryDirectory } from '../contract/temporary-directory.test-data.ts';
import { parseReport, type Report } from '../reports/index.ts';
import { runInResident } from './resident-process.test-data.ts';

export { temporaryDirectory };

/** The program of the command line, bundled as it is published. */
export const BINARY = process.env['PROGRAM_UNDER_TEST'] ?? '';

export interface BinaryResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `stockcheck` in a directory, with no environment but the given one and the tests' directories. */
export function startBinary(
  words: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [BINARY, ...words], {
    cwd: directory,
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function environmentOf(environment: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    STOCKCHECK_STATE_DIR: process.env['STOCKCHECK_STATE_DIR'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    ...environment,
  };
}

/** Runs `stockcheck` to its end, in a process that may have run it before. */
export async function runBinary(
  words: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<BinaryResult> {
  return Object.keys(environment).some((name) => READ_AT_START.test(name))
    ? endOfBinary(startBinary(words, directory, environment))
    : runInResident(PROGRAM, { words, directory, environment: environmentOf(environment) });
}

/** Variables that Node reads just once. */
const READ_AT_START = /^(?:NODE_|SSL_|LANG$|LC_|TZ$)/;
/** What the file in `bin` loads. */
const PROGRAM = join(dirname(BINARY), '..', 'dist', 'main.js');

/** As pipelines start it. */
const BASH = ['bash', '--noprofile', '--norc', '-eo', 'pipefail'] as const;

/** Runs lines in a shell as a user or a pipeline does, where npx starts the program under test. */
export async function runLines(
  lines: string,
  directory: string,
  environment: Readonly<Record<string, string>> = {},
  [shell, ...options]: readonly [shell: string, ...options: string[]] = BASH,
): Promise<BinaryResult> {
  const programs = temporaryDirectory();
  const start = `exec '${process.execPath}' '${BINARY}' "$@"\n`;
  const npx = `#!/bin/sh\n[ "$1" != --yes ] || shift\n[ "$1" != --package ] || exec sh -c "$4"\nshift\n${start}`;
  writeFileSync(join(programs, 'npx'), npx, { mode: 0o755 });
  writeFileSync(join(programs, 'stockcheck'), `#!/bin/sh\n${start}`, { mode: 0o755 });
  const PATH = `${programs}${delimiter}${process.env['PATH'] ?? ''}`;
  return endOfBinary(
    spawn(shell, [...options, '-c', lines], {
      cwd: directory,
      env: { ...environmentOf(environment), PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

/** What a process has written when it has ended. */
export async function endOfBinary(child: ReturnType<typeof startBinary>): Promise<BinaryResult> {
  const exit = Promise.withResolvers<number | null>();
  child.once('error', exit.reject);
  child.once('close', exit.resolve);
  const [stdout, stderr, exitCode] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exit.promise,
  ]);
  return { exitCode, stdout, stderr };
}

/** The report of a kind in that file, validated, or `null` if there is no file. */
export function readReport<Kind extends Report['kind']>(
  path: string,
  kind: Kind,
): Extract<Report, { kind: Kind }> | null {
  if (!existsSync(path)) {
    return null;
  }
  const report = parseReport(readFileSync(path, 'utf8'));
  if (!isOfKind(report, kind)) {
    throw new Error(`The report is of kind ${report.kind}`);
  }
  return report;
}

function isOfKind<Kind extends Report['kind']>(
  report: Report,
  kind: Kind,
): report is Extract<Report, { kind: Kind }> {
  return report.kind === kind;
}
