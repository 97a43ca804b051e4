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

/** Rooms inside a room that have a door of their own. */
const INNER_ROOMS = [
  'contract/json',
  'reference-server/load-faults',
  'reports/formats',
  'suites/stimuli/episodes',
  'suites/target/journal',
];

/** Rooms whose door is the only way in: the contract is read by all, and nothing comes into the command line. */
const CLOSED_ROOMS = [...ROOMS.filter((room) => room !== 'contract' && room !== 'cli'), ...INNER_ROOMS];
const DOORS = new Set(CLOSED_ROOMS.map((room) => `${room}/index.ts`));

/** Parts of a room that do not know the others. */
const UNAWARE = [
  {
    from: ['reference-server/service/', 'reference-server/ports/'],
    to: ['variants', 'faults', 'load-faults', 'shared-store'].map((part) => `reference-server/${part}/`),
  },
  // What programs use knows nothing of the command line (docs/decisions/0012-one-library.md).
  { from: ['cli/library/'], to: ['cli/'] },
];

/** Rooms that hold values of one kind, as many as there are. */
const CATALOGUES = ['reference-server/faults', 'suites/stimuli/checks'];
const MOST_FILES = 20;

function roomOf(path: string): string {
  return ROOMS.find((room) => path.startsWith(`${room}/`)) ?? path;
}

function isIn(path: string, parts: readonly string[]): boolean {
  return parts.some((part) => path.startsWith(part));
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

test('a room is entered by its door', () => {
  const past = MODULE_IMPORTS.filter(({ from, to }) =>
    CLOSED_ROOMS.some((room) => to.startsWith(`${room}/`) && !from.startsWith(`${room}/`) && !DOORS.has(to)),
  );
  expect(past).toEqual([]);
});

test('the service does not know what alters it, and the library does not know the command line', () => {
  const aware = UNAWARE.flatMap((part) =>
    MODULE_IMPORTS.filter(
      ({ from, to }) => isIn(from, part.from) && isIn(to, part.to) && !isIn(to, part.from),
    ),
  );
  expect(aware).toEqual([]);
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
