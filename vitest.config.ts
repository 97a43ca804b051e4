import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contract,fixtures,reference-server,suites,reports,cli}/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
