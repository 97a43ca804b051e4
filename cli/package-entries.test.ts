import { expect, test } from 'vitest';

import knip from '../knip.json' with { type: 'json' };
import build from '../tsconfig.build.json' with { type: 'json' };

test('the package holds every program, thread and process that nothing imports', () => {
  const entries = knip.workspaces['.'].entry.filter((path) => /^(?:cli|load|reference-server)\//.test(path));
  expect(entries).toContain('cli/main.ts');
  expect(build.include).toEqual(expect.arrayContaining(entries));
});
