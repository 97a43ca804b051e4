import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { onTestFinished, vi } from 'vitest';

import type { InventoryItem } from '../../../contract/inventory.ts';
import { temporaryDirectory } from '../../../contract/temporary-directory.test-data.ts';
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

/** Another process that does something with the journal, as a second run on the same machine does. */
export interface HelperProcess {
  /** Ends it without giving it time to clear anything away, and waits until it is gone. */
  kill(): Promise<void>;
}

/**
 * Starts a process and waits until it has run a piece of JavaScript; it then lives on until it is killed.
 * @param body statements of an async function; `module` is the journal's door, `input` the given value
 */
export async function anotherProcess(input: unknown, body: string): Promise<HelperProcess> {
  const script = `
    const module = await import(process.argv[1]);
    const input = JSON.parse(process.argv[2]);
    setInterval(() => {}, 60_000);
    await (async () => { ${body} })();
    process.stdout.write('ready');`;
  const door = new URL('index.ts', import.meta.url).href;
  const helper = spawn(
    process.execPath,
    ['--input-type=module', '--eval', script, '--', door, JSON.stringify(input)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(helper, 'exit');
  const ready = await Promise.race([once(helper.stdout, 'data'), exited]);
  if (String(ready[0]) !== 'ready') {
    throw new Error('The helper process ended before it was ready');
  }
  const kill = async (): Promise<void> => {
    helper.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  return { kill };
}
