import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';

import { onTestFinished } from 'vitest';

import type { TargetDescription } from '../../suites/target/index.ts';
import { describeReferenceServer } from '../library/embedded/embedded-target.ts';
import { startBinary } from '../run-binary.test-data.ts';

/** Starts `stockcheck serve` with these words as a process of its own, which ends with the test. */
export function startServe(words: readonly string[]) {
  const child = startBinary(['serve', '--port', '0', ...words], tmpdir());
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return { child, closed };
}

/**
 * The lines up to the last one that a server prints when it is ready, by name.
 * @throws {Error} if it ends before it is ready
 */
export async function readStart(stdout: Readable): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string>();
  for await (const line of createInterface({ input: stdout })) {
    const [, name = '', value = ''] = /^(.{15}) (.*)$/.exec(line) ?? [];
    rows.set(name.trim(), value);
    if (name.trim() === 'stop it') {
      return rows;
    }
  }
  throw new Error('The server ended before it was ready');
}

/**
 * Starts a server in a process of its own, so that it and a load do not slow each other.
 * @param words further options of `serve`
 */
export async function startServeProcess(words: readonly string[] = []): Promise<TargetDescription> {
  const { child } = startServe(['--control-port', '0', ...words]);
  child.stderr.resume();
  const rows = await readStart(child.stdout);
  return describeReferenceServer({ url: rows.get('target') ?? '', controlUrl: rows.get('control') ?? '' });
}
