import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contract,fixtures,reference-server,suites,load,reports,cli,bench}/**/*.test.ts'],
    pool: 'forks',
    // Tests in real time wait more than they work, but what starves their targets spoils them.
    maxWorkers: 3,
    globalSetup: 'cli/state-directory.test-data.ts',
    setupFiles: 'contract/property-seed.test-data.ts',
    // Ends what hangs; how fast a test is on a busy machine says nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
