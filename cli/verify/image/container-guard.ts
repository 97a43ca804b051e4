import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The label whose value marks the containers of one run. */
export const RUN_LABEL = 'stockcheck.run';
/** Tells the guard that nothing is left to remove. */
export const ALL_REMOVED = 'all removed\n';

/**
 * Starts a process of its own that removes the containers of a run when this process ends without having done so: also a second
 * Ctrl-C, SIGKILL and a crash close the pipe that it reads.
 */
export function guardContainers(run: string): { readonly release: () => void } {
  const script = new URL(`guard-process${extname(import.meta.url)}`, import.meta.url);
  // A group of its own, which Ctrl-C in the terminal does not reach.
  const guard = spawn(process.execPath, [fileURLToPath(script), run], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  return { release: () => void guard.stdin.end(ALL_REMOVED) };
}
