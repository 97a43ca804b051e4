import { afterAll, beforeAll, describe, test, type TestContext } from 'vitest';
import type { TargetDescription } from '../../target/index.ts';
import type { ConformanceOptions } from '../conformance-options.ts';
import { conformanceTests, endTest, requireVerdict, type PresentedRun } from './conformance-tests.ts';

export type { TargetDescription } from '../../target/index.ts';
export type { ConformanceOptions } from '../conformance-options.ts';
export { conformanceInVitest as conformance };

/**
 * Registers one test for each requirement, to be called in a vitest file. One run of the suite, started before
 * the first test, feeds them all.
 * @throws {ConfigurationError} that names the field or pattern at fault
 */
function conformanceInVitest(target: TargetDescription, options: ConformanceOptions = {}): void {
  const { title, runTitle, areas, longestMilliseconds, run } = conformanceTests(target, options);
  describe(title, () => {
    const interruption = new AbortController();
    let running: Promise<PresentedRun> = Promise.reject(new Error('The run was not started.'));
    running.catch(() => {});

    const abort = (): void => interruption.abort(new Error('The run was interrupted.'));
    const resultFor = (context: TestContext): Promise<PresentedRun> => {
      context.signal.addEventListener('abort', abort, { once: true });
      return running;
    };

    beforeAll(() => {
      running = run(interruption.signal);
    });

    // Whatever ends the tests early, the quantities are put back before the process goes.
    afterAll(async () => {
      abort();
      await running;
    }, longestMilliseconds);

    test(runTitle, async (context) => requireVerdict(await resultFor(context)), longestMilliseconds);

    for (const { area, tests } of areas) {
      describe(area, () => {
        for (const { id, title: requirement } of tests) {
          const judged = async (context: TestContext): Promise<void> =>
            endTest(await resultFor(context), id, {
              skip: (reason) => context.skip(reason),
              tell: (text, type) => annotate(context, text, type),
            });
          test(requirement, judged, longestMilliseconds);
        }
      });
    }
  });
}

/** Annotations came with vitest 3.2. */
async function annotate(context: TestContext, text: string, type: 'notice' | 'warning'): Promise<void> {
  if ('annotate' in context) {
    await context.annotate(text, type);
  }
}
