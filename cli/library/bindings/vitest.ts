import { afterAll, describe, test, type TestContext } from 'vitest';
import type { TargetDescription } from '../../../suites/target/index.ts';
import type { ConformanceOptions } from '../conformance-options.ts';
import { conformanceTests, registerTests } from './conformance-tests.ts';

export type { TargetDescription } from '../../../suites/target/index.ts';
export type { ConformanceOptions } from '../conformance-options.ts';
export { conformanceInVitest as conformance };

/**
 * Registers one test for each requirement, to be called in a vitest file. One run of the suite, started by
 * the first test, feeds them all.
 * @throws {ConfigurationError} that names the field or pattern at fault
 */
function conformanceInVitest(target: TargetDescription, options: ConformanceOptions = {}): void {
  const tests = conformanceTests(target, options);
  const { longestMilliseconds } = tests;
  registerTests<TestContext>(tests, {
    group: (title, register) =>
      describe(title, () => {
        register();
      }),
    test: (title, body) => test(title, body, longestMilliseconds),
    afterAll: (end) => afterAll(end, longestMilliseconds),
    signalOf: ({ signal }) => signal,
    toldOf: (context) => ({
      skip: (reason) => context.skip(reason),
      tell: (text, type) => annotate(context, text, type),
    }),
  });
}

/** Annotations came with vitest 3.2. */
async function annotate(context: TestContext, text: string, type: 'notice' | 'warning'): Promise<void> {
  if ('annotate' in context) {
    await context.annotate(text, type);
  }
}
