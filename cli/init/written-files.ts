import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import { packageVersion } from '../library/version.ts';
import { whyNoFile } from '../shared/files/option-paths.ts';
import { describeAnswers, type InitAnswers } from './answers.ts';

/** A file that is to be written. */
export interface PlannedFile {
  /** As messages call it. */
  readonly path: string;
  readonly absolute: string;
  readonly text: string;
}

/** The configuration as it is written, with the schema that editors check it with. */
export function configurationText(answers: InitAnswers, directory: string): string {
  const described = { $schema: schemaAddress(directory), ...describeAnswers(answers) };
  return `${JSON.stringify(described, null, 2)}\n`;
}

/** The schema of the package if that is installed in the project, else the published one. */
function schemaAddress(directory: string): string {
  const name = join('node_modules', 'stockcheck', 'dist', 'config.schema.json');
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) {
      const path = relative(directory, join(folder, name)).replaceAll('\\', '/');
      return path.startsWith('.') ? path : `./${path}`;
    }
    if (dirname(folder) === folder) {
      return `https://unpkg.com/stockcheck@${packageVersion()}/dist/config.schema.json`;
    }
  }
}

/** @throws {ConfigurationError} if it cannot be written */
export function planFile(path: string, text: string, directory: string): PlannedFile {
  const absolute = resolve(directory, path);
  const reason = whyNoFile(absolute);
  if (reason !== null) {
    throw new ConfigurationError(`${path} cannot be written: ${reason}`);
  }
  return { path, absolute, text };
}

/** Whether something else is there. */
export function isTaken({ absolute, text }: PlannedFile): boolean {
  return existsSync(absolute) && readFileSync(absolute, 'utf8') !== text;
}

export function writePlanned({ absolute, text }: PlannedFile): void {
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, text);
}
