import { expect, test } from 'vitest';

import { credentialVariants } from '../../fixtures/corpora/index.ts';
import { alteredKeys } from './checks/altered-keys.ts';
import { CHECKS, withAcceptedForms } from './checks/index.ts';
import { acceptedForms } from './checks/observations.ts';

test('the check that finds out accepted forms is brought along by those that take them, and is over before any begins', () => {
  const [takers, others] = [true, undefined].map((takes) =>
    CHECKS.filter(({ takesForms }) => takesForms === takes),
  );
  expect(withAcceptedForms(others ?? [])).toEqual(others);
  expect(withAcceptedForms(takers ?? [])).toEqual([acceptedForms, ...(takers ?? [])]);
  expect(Math.min(...(takers ?? []).map((check) => CHECKS.indexOf(check)))).toBeGreaterThan(
    CHECKS.indexOf(acceptedForms),
  );
  expect(acceptedForms.needs.alone).toBe(true);
});

test('no way to present a key that has to be refused is cut off', () => {
  const key = 'Sample-key-of-a-test';
  const refused = credentialVariants(key, [key]).filter(({ reading }) => reading.level === 'must');
  expect(alteredKeys.anonymousRequests).toBeGreaterThanOrEqual(refused.length);
});
