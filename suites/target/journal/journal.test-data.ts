import { onTestFinished, vi } from 'vitest';

import type { InventoryItem } from '../../../contract/inventory.ts';
import { temporaryDirectory } from '../../../contract/temporary-directory.test-data.ts';
import { startHelper, type HelperProcess } from './helper-process.test-data.ts';
import { stateOnDemand, type StateDirectory } from './state-directory.ts';

export const item = (petId: bigint, quantity = 5): InventoryItem => ({
  petId,
  quantity,
  status: 'available',
});

/** A folder for state of the test's own. */
export function temporaryState(): StateDirectory {
  vi.stubEnv('STOCKCHECK_STATE_DIR', temporaryDirectory());
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return stateOnDemand(undefined)();
}

/** Another process that does something with the journal, and lives until it is killed. */
export async function anotherProcess(input: unknown, body: string): Promise<HelperProcess> {
  const run = await startHelper('./index.ts', input, body);
  onTestFinished(() => run.kill());
  return run;
}
