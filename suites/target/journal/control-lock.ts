import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { lockFolder, UnusableState } from './state-directory.ts';
import { tryLock } from './system-lock.ts';
import { possibleIdentity } from './target-identity.ts';

const POLL_MILLISECONDS = 100;

/**
 * Two runs that move the clock of one target would spoil each other's windows, so the second on this machine waits
 * for the first.
 * @param directory a folder for state that is there
 * @returns what ends the lock; its file stays, since deleting it could free another run's
 */
export async function lockControl(
  control: string,
  directory: string,
  signal: AbortSignal,
  onNotice: ((notice: string) => void) | undefined,
): Promise<() => void> {
  const name = createHash('sha256').update(possibleIdentity(control)).digest('hex').slice(0, 16);
  const path = join(lockFolder(directory), `control-${name}.lock`);
  let announced = false;
  for (;;) {
    signal.throwIfAborted();
    const lock = tryLock(path);
    if (lock.state === 'taken') {
      return lock.release;
    }
    if (lock.state === 'unknown') {
      throw new UnusableState(`The lock ${path} cannot be taken (${lock.reason}).`);
    }
    if (!announced) {
      announced = true;
      onNotice?.(`Another run uses the control URL ${control}; waiting until it is done.`);
    }
    await delay(POLL_MILLISECONDS, undefined, { signal });
  }
}
