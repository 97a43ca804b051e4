import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';

import { onTestFinished } from 'vitest';

import type { TargetDescription } from '../../suites/target/index.ts';
import { describeReferenceServer } from '../shared/embedded/embedded-target.ts';
import { startBinary } from '../run-binary.test-data.ts';

/**
 * Starts `stockcheck serve` as a process of its own, so that it and a load do not slow each other; it ends with the
 * test.
 * @param words further options of `serve`
 * @throws {Error} where it ends before it is ready
 */
export async function startServeProcess(words: readonly string[] = []): Promise<TargetDescription> {
  const child = startBinary(['serve', '--port', '0', '--control-port', '0', ...words], tmpdir());
  const closed = Promise.withResolvers<void>();
  child.once('close', () => closed.resolve());
  child.stderr.resume();
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await closed.promise;
  });
  const told = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name = '', value = ''] = /^(target|control|stop it) +(\S+)/.exec(line) ?? [];
    told.set(name, value);
    if (name === 'stop it') {
      return describeReferenceServer({
        url: told.get('target') ?? '',
        controlUrl: told.get('control') ?? '',
      });
    }
  }
  throw new Error('The server ended before it was ready');
}
