import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { pageText, REPOSITORY } from './pages.test-data.ts';

/** The arrows of the picture, from each room to those that it imports. */
const ARROWS = [...pageText('docs/architecture.md').matchAll(/^ {2}(?<from>\S+) --> (?<to>\S+)$/gm)].map(
  ({ groups }) => [groups?.['from'] ?? '', groups?.['to'] ?? ''] as const,
);
const ROOMS = [...new Set(ARROWS.flat())];

const IS_TEST = ['**/*.test.ts', '**/*.test-data.ts'];

/** The modules of what is shipped. */
const MODULES = globSync(`{${ROOMS.join(',')}}/**/*.ts`, { cwd: REPOSITORY, exclude: IS_TEST });

/** Each import of one of those modules by another. */
const MODULE_IMPORTS = MODULES.flatMap((from) =>
  [...readFileSync(join(REPOSITORY, from), 'utf8').matchAll(/(?:from |import\()'(?<to>\.[^']+)'/g)].map(
    ({ groups }) => ({ from, to: join(dirname(from), groups?.['to'] ?? '') }),
  ),
);

/** The imports from one room into another, as `room > other room`. */
const IMPORTS = new Set(
  MODULE_IMPORTS.map(({ from, to }) => [roomOf(from), roomOf(to)])
    // The version is nobody's room.
    .filter(([from, to]) => from !== to && to !== 'package.json')
    .map((pair) => pair.join(' > ')),
);

/** Rooms inside a room whose door is the only way in. The linter holds the doors of the rooms of the picture. */
const INNER_ROOMS = [
  'contract/json',
  'reference-server/load-faults',
  'reports/formats',
  'suites/stimuli',
  'suites/stimuli/episodes',
  'suites/target/journal',
  'suites/verify/explorer',
];

const DOORS = new Set(INNER_ROOMS.map((room) => `${room}/index.ts`));

/** Rooms that hold values of one kind, as many as there are. */
const CATALOGUES = ['reference-server/faults', 'suites/stimuli/checks'];
const MOST_FILES = 20;

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

test('a room that mixes kinds holds at most 20 source files', () => {
  const sources = globSync('*/**/*.{ts,js}', {
    cwd: REPOSITORY,
    exclude: [...IS_TEST, '**/node_modules/**', 'dist/**'],
  });
  const crowded = [...Map.groupBy(sources, (path) => dirname(path))]
    .filter(([, files]) => files.length > MOST_FILES)
    .map(([room]) => room);
  expect(crowded.toSorted()).toEqual(CATALOGUES);
});

test('an inner room is entered by its door', () => {
  const past = MODULE_IMPORTS.filter(({ from, to }) =>
    INNER_ROOMS.some((room) => to.startsWith(`${room}/`) && !from.startsWith(`${room}/`) && !DOORS.has(to)),
  );
  expect(past).toEqual([]);
});

test('an exported name exists once, in tests and tools too', () => {
  const places = globSync('*/**/*.{ts,js}', {
    cwd: REPOSITORY,
    exclude: ['**/*.test.ts', '**/node_modules/**', 'dist/**', 'examples/**'],
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
