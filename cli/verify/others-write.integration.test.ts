import { expect, onTestFinished, test, vi } from 'vitest';

import type { Alteration } from '../../reference-server/index.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';
import { judgeInProcess } from './judge-in-process.test-data.ts';
import { startTarget } from './run.test-data.ts';

/** After each of so many updates, every other pet is set to a quantity that nobody asked for. */
function disturbed(updates: number): Alteration {
  return {
    parts: ({ inventory }) => {
      let count = 0;
      return {
        inventory: {
          ...inventory,
          setQuantity: (petId, quantity) => {
            const updated = inventory.setQuantity(petId, quantity);
            count += 1;
            if (count <= updates) {
              for (const [index, other] of inventory.list().entries()) {
                if (other.petId !== petId) {
                  inventory.setQuantity(other.petId, 100_000 + 100 * count + index);
                }
              }
            }
            return updated;
          },
        },
      };
    },
  };
}

test.for([
  ['as long as somebody else writes is left open', 8, 'inconclusive'],
  ['whenever it is updated is a failure', Infinity, 'fail'],
] as const)('an inventory that changes %s', async ([, updates, outcome]) => {
  vi.stubEnv('STOCKCHECK_STATE_DIR', temporaryDirectory());
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const target = await startTarget({ alterations: [disturbed(updates)] });
  const { judgements, problems, spent, plan } = await judgeInProcess(target, {
    checks: ['update'],
  });
  const judged = judgements.find(({ id }) => id === 'update-touches-one-entry');
  expect(judged?.outcome).toBe(outcome);
  expect(problems.some((problem) => problem.startsWith('Somebody else may have written'))).toBe(
    outcome === 'inconclusive',
  );
  expect(spent.total).toBeLessThanOrEqual(plan.budget.total);
});
