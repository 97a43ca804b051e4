import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** What takes longest, mostly by waiting, so that it does not come last and alone. */
const LONGEST = [
  'cli/prove/kill-matrix.test.ts',
  'docs/commands.system.test.ts',
  'cli/verify/run.test.ts',
  'cli/certify/sample-clients.test.ts',
  'cli/load/load-faults.test.ts',
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

export default defineConfig({
  test: {
    include: ['{contract,fixtures,reference-server,suites,load,reports,cli,bench,docs}/**/*.test.ts'],
    pool: 'forks',
    // Tests in real time wait more than they work, but what starves their targets spoils them.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: 'cli/shared/state-directory.test-data.ts',
    setupFiles: 'contract/property-seed.test-data.ts',
    // Ends what hangs; how fast a test is on a busy machine says nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
