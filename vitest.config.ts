import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contract,fixtures,reference-server,suites,reports,cli}/**/*.test.ts'],
    pool: 'forks',
    // Some tests do little but wait for windows to pass.
    maxWorkers: 4,
    globalSetup: 'cli/state-directory.test-data.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
