import { hash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import { compileFunction } from 'node:vm';
import { test } from '@playwright/test';
import type { TargetDescription } from '../../../suites/target/index.ts';
import type { ConformanceOptions } from '../conformance-options.ts';
import { conformanceTests, registerTests, type PresentedRun } from './conformance-tests.ts';

export type { TargetDescription } from '../../../suites/target/index.ts';
export type { ConformanceOptions } from '../conformance-options.ts';
export { conformanceInPlaywright as conformance };

/**
 * Registers one test for each requirement, to be called in a test file of Playwright. One run of the suite, started by
 * the first test, feeds them all, also in the processes that Playwright starts after a test has failed. Warnings and
 * observations are annotations of their tests.
 * @throws {ConfigurationError} that names the field or pattern at fault
 */
function conformanceInPlaywright(target: TargetDescription, options: ConformanceOptions = {}): void {
  const tests = conformanceTests(target, options);
  const { title, longestMilliseconds, run } = tests;
  // The first call site is this function, the second its caller.
  const register = registerAt(getCallSites()[1]?.scriptName ?? '');
  registerTests<null>(
    { ...tests, run: (signal) => runOnce(resultPath(title), () => run(signal)) },
    {
      group: (name, registerGroup) =>
        register(test.describe, name, () => {
          // One after the other, even if tests of a file run side by side.
          test.describe.configure({ mode: 'default', timeout: longestMilliseconds });
          registerGroup();
        }),
      test: (name, body) => register(test, name, () => body(null)),
      afterAll: (end) => test.afterAll(end),
      toldOf: () => ({
        skip: (reason) => test.skip(true, reason),
        tell: (description, type) => void test.info().annotations.push({ type, description }),
      }),
    },
  );
}

/**
 * Registers tests as if a file had done so itself: Playwright takes the file that calls it for the place of a test, and
 * finds none if `playwright test` is given the name of another file.
 */
function registerAt(path: string) {
  const filename = path.startsWith('file:') ? fileURLToPath(path) : path;
  const call = compileFunction('register(title, body)', ['register', 'title', 'body'], { filename });
  return <Body>(register: (title: string, body: Body) => void, title: string, body: Body): void => {
    call(register, title, body);
  };
}

/** Where the processes of one call of Playwright, which have one parent, leave the result for each other. */
function resultPath(title: string): string {
  const { outputDir } = test.info().project;
  return join(outputDir, `stockcheck-${process.ppid}-${hash('sha1', title).slice(0, 12)}.json`);
}

async function runOnce(path: string, run: () => Promise<PresentedRun>): Promise<PresentedRun> {
  const known = await readFile(path, 'utf8').catch(() => null);
  if (known !== null) {
    const result: PresentedRun = JSON.parse(known);
    return result;
  }
  const result = await run();
  const temporary = `${path}.${randomUUID()}`;
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(temporary, JSON.stringify(result));
  await rename(temporary, path);
  return result;
}
