import { expect, test } from 'vitest';

import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Check } from '../../stimuli/check.ts';
import { credentialSpellings } from '../../stimuli/checks/altered-keys.ts';
import { wholeDay } from '../../stimuli/checks/day-limits.ts';
import { judgeScripted } from './judge-scripted.test-data.ts';
import { keylessUpdates } from '../../stimuli/checks/missing-keys.ts';
import { readQuantity, type TargetChange } from './scripted-target.test-data.ts';
import { granting, rewriting } from './target-changes.test-data.ts';

const onlyCapitalBearer: TargetChange = ({ authenticate }) => ({
  authenticate: (call) =>
    call.authorization[0]?.startsWith('Bearer ') === true ? authenticate(call) : undefined,
});

const bodyFirst = rewriting(
  ({ status }, { method, body }) => status === 401 && method === 'PATCH' && readQuantity(body) === undefined,
  () => ({ status: 400 }),
);

// The kill matrix shows all others: every seeded fault is found by the requirement that it breaks.
test.each<readonly [id: RequirementId, check: Check, change: TargetChange]>([
  ['bearer-any-case', credentialSpellings, onlyCapitalBearer],
  ['authentication-first', keylessUpdates, bodyFirst],
  ['day-limit-free', wholeDay, granting(1_001, 'day')],
])('%s is found to be broken', async (id, check, change) => {
  expect((await judgeScripted([check])).judgementOf(id).outcome).toBe('pass');
  expect((await judgeScripted([check], change)).judgementOf(id).outcome).toBe('fail');
});
