import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MILLISECONDS = 100;

/** Locks that runs of this process hold. */
const heldHere = new Set<string>();

/**
 * Two runs that move the clock of one target would spoil each other's windows, so the second on this machine
 * waits for the first. @returns what ends the lock
 */
export async function lockControl(
  control: string,
  directory: string,
  signal: AbortSignal,
  onNotice: ((notice: string) => void) | undefined,
): Promise<() => void> {
  const folder = join(directory, 'locks');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${createHash('sha256').update(control).digest('hex').slice(0, 16)}.lock`);
  let announced = false;
  for (;;) {
    signal.throwIfAborted();
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      heldHere.add(path);
      return () => {
        heldHere.delete(path);
        rmSync(path, { force: true });
      };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
        throw error;
      }
    }
    if (!isHeld(path)) {
      rmSync(path, { force: true });
    } else {
      if (!announced) {
        announced = true;
        onNotice?.(`Another run uses the control URL ${control}; waiting until it is done.`);
      }
      await delay(POLL_MILLISECONDS, undefined, { signal });
    }
  }
}

/** Whether the process that wrote the lock still runs. */
function isHeld(path: string): boolean {
  try {
    const holder = Number(readFileSync(path, 'utf8'));
    // A lock that was just created may not hold its process id yet.
    if (holder === 0) {
      return true;
    }
    if (holder === process.pid) {
      return heldHere.has(path);
    }
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
