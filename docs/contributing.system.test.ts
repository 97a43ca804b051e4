import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';

import { afterAll, describe, test } from 'vitest';

import {
  isForContributors,
  exitCodesOf,
  linesWithout,
  PAGES,
  REPOSITORY,
  withoutNumbers,
  type Block,
} from './pages.test-data.ts';

const NOT_COPIED = new Set(['node_modules', '.git', 'dist', 'report']);

const copy = mkdtempSync(join(tmpdir(), 'stockcheck-contributing-'));
const bin = join(copy, 'node_modules', '.bin');
const changed = new Set<string>();

cpSync(REPOSITORY, copy, {
  recursive: true,
  preserveTimestamps: true,
  filter: (path) => !NOT_COPIED.has(basename(path)),
});
symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));

afterAll(() => rmSync(copy, { recursive: true }));

/** Writes a new file, or changes one: the lines without `+` are there already, those with `-` go. */
function apply({ language, title, text }: Block): void {
  const path = join(copy, title);
  changed.add(title);
  if (language !== 'diff') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return;
  }
  const before = linesWithout(text, '+');
  const pieces = readFileSync(path, 'utf8').split(before);
  if (pieces.length !== 2) {
    throw new Error(`${title} holds ${pieces.length - 1} times:\n${before}`);
  }
  writeFileSync(path, pieces.join(linesWithout(text, '-')));
}

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

function run(line: string): Ended {
  const command = line.replace(/^npx stockcheck/, 'node bin/stockcheck.js');
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
    cwd: copy,
    encoding: 'utf8',
    env: {
      PATH: [bin, process.env['PATH']].join(delimiter),
      STOCKCHECK_STATE_DIR: join(copy, 'state'),
      NODE_COMPILE_CACHE: join(copy, 'compiled'),
      NO_COLOR: '1',
    },
  });
  return { exitCode: status, output: `$ ${line}\n${stdout}${stderr}` };
}

function linesOf(text: string): readonly string[] {
  return text.trim().split('\n');
}

const EXAMPLES = PAGES.flatMap(({ sections }) => sections).filter(isForContributors);

describe('a contributor', () => {
  test.for(EXAMPLES)('can follow: $title', ({ blocks }, { expect }) => {
    for (const block of blocks.filter(({ title }) => title !== '')) {
      apply(block);
    }
    const ended = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => linesOf(text).map(run));
    const wrong = ended.filter(
      ({ exitCode, output }) => exitCode === null || !exitCodesOf(output, 0).includes(exitCode),
    );
    expect(wrong).toEqual([]);
    const printed = withoutNumbers(ended.map(({ output }) => output).join('\n'));
    const shown = blocks.filter(({ language }) => language === 'text').flatMap(({ text }) => linesOf(text));
    expect(
      shown.filter((line) => !printed.includes(withoutNumbers(line))),
      printed,
    ).toEqual([]);
  });

  test('gets what the compiler, the linter and the formatter accept', ({ expect }) => {
    expect(EXAMPLES.length).toBeGreaterThan(5);
    const files = [...changed].join(' ');
    const ended = run(`oxfmt --check ${files} && oxlint --type-aware --type-check --deny-warnings ${files}`);
    expect(ended.exitCode, ended.output).toBe(0);
  });
});
