import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, normalize } from 'node:path';

import { expect, test } from 'vitest';

import knip from '../knip.json' with { type: 'json' };
import manifest from '../package.json' with { type: 'json' };
import build from '../tsconfig.build.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');

test('the package holds every program, thread and process that nothing imports', () => {
  const entries = knip.workspaces['.'].entry.filter((path) => /^(?:cli|load|reference-server)\//.test(path));
  expect(entries).toContain('cli/main.ts');
  expect(build.include).toEqual(expect.arrayContaining(entries));
});

/** What a module imports at run time, at once or later. */
function importsOf(path: string): readonly string[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const statements = source.matchAll(
    /^(?:import|export) (?!type\b)(?:[\w*{][^'=;]* from )?'([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...statements].map(([, now, later]) => now ?? later ?? '');
}

/** The packages that a module and all that it imports need, each with the module that imports it. */
function packagesOf(entry: string): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  const seen = new Set<string>();
  const pending = [entry];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path) || !path.endsWith('.ts') || !existsSync(join(ROOT, path))) {
      continue;
    }
    seen.add(path);
    for (const specifier of importsOf(path)) {
      if (specifier.startsWith('.')) {
        pending.push(normalize(join(path, '..', specifier)));
      } else if (!isBuiltin(specifier)) {
        packages.set(specifier.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? specifier, path);
      }
    }
  }
  return packages;
}

test('nothing that the command line runs imports a package that is not installed with it', () => {
  const entries = build.include.filter((path) => path.startsWith('cli/'));
  const packages = entries.map((entry) => packagesOf(entry)).flatMap((found) => Array.from(found));
  expect(packages.map(([name]) => name)).toEqual(expect.arrayContaining(['commander', 'undici', 'bullmq']));
  expect(packages.filter(([name]) => !Object.hasOwn(manifest.dependencies, name))).toEqual([]);
});
