import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** What takes longest, so that it does not come last and alone. */
const LONGEST = [
  'cli/prove/kill-matrix.system.test.ts',
  'cli/verify/independent-targets.system.test.ts',
  'cli/certify/sample-clients.system.test.ts',
  'cli/replay/replay.system.test.ts',
  'cli/package.system.test.ts',
  'docs/commands.system.test.ts',
  'docs/contributing.system.test.ts',
  'cli/load/load-faults.system.test.ts',
  'cli/verify/verify-image.system.test.ts',
  'cli/load/fleet.system.test.ts',
  'cli/verify/run.integration.test.ts',
  'reports/html/browser/pages.system.test.ts',
  'cli/verify/lost-responses.integration.test.ts',
  'cli/certify/run.integration.test.ts',
  'cli/prove/servers/judge-trial.integration.test.ts',
  'cli/verify/verify-control.integration.test.ts',
  'cli/load/run.integration.test.ts',
];

function placeOf({ moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((path) => moduleId.endsWith(path));
  return index === -1 ? LONGEST.length : index;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

const ALL =
  '{contract,fixtures,reference-server,suites,load,simulation,reports,cli,bench,docs,tools}/**/*.test.ts';
const INTEGRATION = '**/*.integration.test.ts';
const PROGRAMS = ['tools/build/program-for-tests.js', 'tools/build/python-for-tests.js'];
const SYSTEM = '**/*.system.test.ts';
// Unit tests leave much behind that is dropped soon; with room for it, they take up to a tenth less of a processor.
const ROOM_FOR_NEW_OBJECTS = '--max-semi-space-size=64';
// A machine that stands still for seconds starves processes beside one another; CI names the tests that took a second try.
const RETRIES_IN_REAL_TIME = 1;

export default defineConfig({
  test: {
    pool: 'forks',
    // Node runs the sources as they are, as it does for a program that is started from them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    globalSetup: 'cli/shared/state-directory.test-data.ts',
    setupFiles: 'contract/property-seed.test-data.ts',
    // Ends what hangs; how fast a test is on a busy machine says nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [ALL],
          exclude: [INTEGRATION, SYSTEM],
          isolate: false,
          maxWorkers: 2,
          // A unit test starts no process: Node refuses to.
          execArgv: [
            ROOM_FOR_NEW_OBJECTS,
            '--permission',
            '--allow-fs-read=*',
            '--allow-fs-write=*',
            '--disable-warning=SecurityWarning',
          ],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // Tests in real time wait more than they work, but what starves their targets spoils them.
        test: {
          name: 'integration',
          include: [INTEGRATION],
          globalSetup: PROGRAMS,
          isolate: false,
          maxWorkers: 4,
          retry: RETRIES_IN_REAL_TIME,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: [SYSTEM],
          globalSetup: PROGRAMS,
          maxWorkers: 4,
          retry: RETRIES_IN_REAL_TIME,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
