import { cpSync, globSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Instrumenter } from '@stryker-mutator/instrumenter';

import { describeMutants, type Mutant } from './mutant.ts';

/** A copy of the reference server that holds all mutants, each asleep until its id is in the environment. */
export interface MutatedBuild {
  readonly folder: string;
  readonly mutants: readonly Mutant[];
}

/** What decides the answers of the service; the control contract, its guard and what only they use do not. */
const MUTATED = 'reference-server/{service,ports}/*.ts';
const NOT_MUTATED = [
  '**/*.test.ts',
  'reference-server/ports/{control,own-origin}*.ts',
  'reference-server/service/header-fields.ts',
];
const COPIED = ['contract', 'fixtures/corpora', 'reference-server', 'package.json'];

const LOGGER = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  fatal: () => {},
};

/** Builds the copy in a new temporary folder; whoever asks for it removes it. @param repository its folder */
export async function buildMutants(repository: string): Promise<MutatedBuild> {
  const names = globSync(MUTATED, { cwd: repository, exclude: NOT_MUTATED }).toSorted();
  const sources = new Map(names.map((name) => [name, readFileSync(join(repository, name), 'utf8')]));
  const { files, mutants } = await new Instrumenter(LOGGER).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { excludedMutations: [], ignorers: [], plugins: null },
  );
  const folder = mkdtempSync(join(tmpdir(), 'stockcheck-mutants-'));
  for (const part of COPIED) {
    cpSync(join(repository, part), join(folder, part), {
      recursive: true,
      filter: (path) => !/\.test(?:-data)?\.ts$/.test(path),
    });
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  for (const { name, content } of files) {
    writeFileSync(join(folder, name), content);
  }
  return {
    folder,
    mutants: [...sources].flatMap(([name, source]) =>
      describeMutants(
        name.replace('reference-server/', ''),
        source,
        mutants.filter(({ fileName }) => fileName === name),
      ),
    ),
  };
}
