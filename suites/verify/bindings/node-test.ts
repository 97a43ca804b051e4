import { after, before, describe, test, type TestContext } from 'node:test';
import type { TargetDescription } from '../../target/index.ts';
import type { ConformanceOptions } from '../conformance-options.ts';
import { conformanceTests, endTest, requireVerdict, type PresentedRun } from './conformance-tests.ts';

export type { TargetDescription } from '../../target/index.ts';
export type { ConformanceOptions } from '../conformance-options.ts';
export { conformanceInNodeTest as conformance };

/**
 * Registers one test for each requirement, to be called in a file for `node --test`. One run of the suite, started
 * before the first test, feeds them all. Warnings and observations are diagnostics of their tests.
 * @throws {ConfigurationError} that names the field or pattern at fault
 */
function conformanceInNodeTest(target: TargetDescription, options: ConformanceOptions = {}): void {
  const { title, runTitle, areas, longestMilliseconds: timeout, run } = conformanceTests(target, options);
  void describe(title, () => {
    const interruption = new AbortController();
    let running: Promise<PresentedRun> | undefined;
    const resultFor = (context: TestContext): Promise<PresentedRun> => {
      context.signal.addEventListener('abort', () => interruption.abort(), { once: true });
      running ??= run(interruption.signal);
      return running;
    };

    before(() => {
      running = run(interruption.signal);
    });

    // Whatever ends the tests early, the quantities are put back before the process goes.
    after(
      async () => {
        interruption.abort(new Error('The run was interrupted.'));
        await running;
      },
      { timeout },
    );

    void test(runTitle, { timeout }, async (context) => requireVerdict(await resultFor(context)));

    for (const { area, tests } of areas) {
      void describe(area, () => {
        for (const { id, title: requirement } of tests) {
          void test(requirement, { timeout }, async (context) =>
            endTest(await resultFor(context), id, {
              skip: (reason) => context.skip(reason),
              tell: (text) => context.diagnostic(text),
            }),
          );
        }
      });
    }
  });
}
