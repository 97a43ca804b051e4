import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { startReferenceServer } from '../../reference-server/index.ts';
import type { ServerMessage } from './mutated-server.ts';

// Started with the folder of the build, and the mutant's id in the environment.
const [folder = ''] = process.argv.slice(2);
const build: { readonly startReferenceServer: typeof startReferenceServer } = await import(
  pathToFileURL(join(folder, 'reference-server/start.ts')).href
);
const { url, controlUrl } = await build.startReferenceServer({ graceMilliseconds: 0 });

function say(message: ServerMessage): void {
  process.send?.(message);
}

// The only question is which mutants were reached.
process.on('message', () => say({ reached: reachedMutants() }));
process.on('disconnect', () => process.exit());
say({ url, controlUrl });

/** Stryker's instrumenter counts in `__stryker__.mutantCoverage.static` how often the place of each mutant was reached. */
function reachedMutants(): readonly string[] {
  const counts = ['__stryker__', 'mutantCoverage', 'static'].reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    globalThis,
  );
  return typeof counts === 'object' && counts !== null ? Object.keys(counts) : [];
}
