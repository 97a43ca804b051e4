import { after, describe, test, type TestContext } from 'node:test';
import type { TargetDescription } from '../../../suites/target/index.ts';
import type { ConformanceOptions } from '../conformance-options.ts';
import { conformanceTests, registerTests } from './conformance-tests.ts';

export type { TargetDescription } from '../../../suites/target/index.ts';
export type { ConformanceOptions } from '../conformance-options.ts';
export { conformanceInNodeTest as conformance };

/**
 * Registers one test for each requirement, to be called in a file for `node --test`. One run of the suite, started
 * by the first test, feeds them all. Warnings and observations are diagnostics of their tests.
 * @throws {ConfigurationError} that names the field or pattern at fault
 */
function conformanceInNodeTest(target: TargetDescription, options: ConformanceOptions = {}): void {
  const tests = conformanceTests(target, options);
  const { longestMilliseconds: timeout } = tests;
  registerTests<TestContext>(tests, {
    group: (title, register) => void describe(title, register),
    test: (title, body) => void test(title, { timeout }, body),
    afterAll: (end) => after(end, { timeout }),
    signalOf: ({ signal }) => signal,
    toldOf: (context) => ({
      skip: (reason) => context.skip(reason),
      tell: (text) => context.diagnostic(text),
    }),
  });
}
