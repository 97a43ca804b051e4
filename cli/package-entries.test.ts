import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, normalize } from 'node:path';

import { expect, test } from 'vitest';

import knip from '../knip.json' with { type: 'json' };
import { OPTIONAL_PACKAGES } from '../contract/optional-package.ts';
import manifest from '../package.json' with { type: 'json' };
import built from '../tools/build/entries.json' with { type: 'json' };
import declared from '../tsconfig.build.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const PROGRAMS: readonly string[] = Object.values(built.programs);
const DOORS: readonly string[] = Object.values(built.doors);

test('the package holds every program, thread, process and door that nothing imports', () => {
  const entries = knip.workspaces['.'].entry.filter((path) =>
    /^(?:cli|load|reference-server|suites)\//.test(path),
  );
  expect(entries.toSorted()).toEqual([...PROGRAMS, ...DOORS].toSorted());
});

test('every door has types', () => {
  expect(declared.include).toEqual(expect.arrayContaining([...DOORS]));
});

test('what may be missing is an optional peer of the package, in the same versions', () => {
  expect(manifest.peerDependencies).toMatchObject(OPTIONAL_PACKAGES);
  for (const name of Object.keys(manifest.peerDependencies)) {
    expect(manifest.peerDependenciesMeta).toHaveProperty([name], { optional: true });
  }
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

test('nothing that the command line runs imports a package that is neither installed with it, nor built in, nor asked for', () => {
  const packages = PROGRAMS.map((entry) => packagesOf(entry)).flatMap((found) => Array.from(found));
  expect(packages.map(([name]) => name)).toEqual(expect.arrayContaining(['commander', 'undici', 'ioredis']));
  const known = new Set(
    Object.keys(manifest.dependencies).concat(built.builtIn, Object.keys(OPTIONAL_PACKAGES)),
  );
  expect(packages.filter(([name]) => !known.has(name))).toEqual([]);
});
