import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { pageText, REPOSITORY } from './pages.test-data.ts';

/** The arrows of the picture, from each room to those that it imports. */
const ARROWS = [...pageText('docs/architecture.md').matchAll(/^ {2}(?<from>\S+) --> (?<to>\S+)$/gm)].map(
  ({ groups }) => [groups?.['from'] ?? '', groups?.['to'] ?? ''] as const,
);
const ROOMS = [...new Set(ARROWS.flat())];

/** The imports from one room into another in what is shipped, as `room > other room`. */
const IMPORTS = new Set(
  globSync(`{${ROOMS.join(',')}}/**/*.ts`, {
    cwd: REPOSITORY,
    exclude: ['**/*.test.ts', '**/*.test-data.ts'],
  })
    .flatMap((path) =>
      [...readFileSync(join(REPOSITORY, path), 'utf8').matchAll(/(?:from |import\()'(?<to>\.[^']+)'/g)].map(
        ({ groups }) => [roomOf(path), roomOf(join(dirname(path), groups?.['to'] ?? ''))],
      ),
    )
    // The version is nobody's room.
    .filter(([from, to]) => from !== to && to !== 'package.json')
    .map((pair) => pair.join(' > ')),
);

function roomOf(path: string): string {
  return ROOMS.find((room) => path.startsWith(`${room}/`)) ?? path;
}

/** All rooms that arrows lead to, directly or through others. */
function reachableFrom(room: string): readonly string[] {
  return ARROWS.filter(([from]) => from === room).flatMap(([, to]) => [to].concat(reachableFrom(to)));
}

test('the picture of the architecture has an arrow for each import, and no other', () => {
  expect(ROOMS.length).toBeGreaterThan(5);
  const permitted = new Set(ROOMS.flatMap((from) => reachableFrom(from).map((to) => `${from} > ${to}`)));
  expect([...IMPORTS].filter((pair) => !permitted.has(pair))).toEqual([]);
  expect(ARROWS.map((arrow) => arrow.join(' > ')).filter((pair) => !IMPORTS.has(pair))).toEqual([]);
});

test('an exported name exists once', () => {
  const places = globSync('{contract,reference-server,suites,load,simulation,reports,cli}/**/*.ts', {
    cwd: REPOSITORY,
    exclude: ['**/*.test.ts', '**/*.test-data.ts'],
  }).flatMap((path) =>
    Array.from(
      readFileSync(join(REPOSITORY, path), 'utf8').matchAll(
        /^export (?:async )?(?:function\*?|const|class|type|interface) (?<name>\w+)/gm,
      ),
      ({ groups }) => ({ name: groups?.['name'] ?? '', path }),
    ),
  );
  expect(places.length).toBeGreaterThan(500);
  const distinct = places.filter(
    ({ name, path }, index) => places.findIndex((one) => one.name === name && one.path === path) === index,
  );
  const twice = [...Map.groupBy(distinct, ({ name }) => name).values()].filter(({ length }) => length > 1);
  expect(twice).toEqual([]);
});
