import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { createHash } from 'node:crypto';

import type { ArtifactDescriptor } from '../../../reports/index.ts';

const MOST_BYTES = 1 << 30;

/**
 * The program of a client, and each of its arguments that is a file, with their digests.
 * @param command the program and its arguments
 */
export function filesOfClient(
  [program, ...words]: readonly string[],
  { directory, path }: { readonly directory: string; readonly path: string },
): readonly ArtifactDescriptor[] {
  const found = program === undefined ? null : findProgram(program, directory, path);
  const named: readonly (readonly [name: string, file: string])[] = [
    ...(program === undefined || found === null ? [] : [[program, found] as const]),
    ...words.map((word) => [word, resolve(directory, word)] as const),
  ];
  return named.flatMap(([name, file]) => {
    const { isFile, size } = factsOf(file);
    return isFile && size <= MOST_BYTES ? [{ name, digest: digestOf(readFileSync(file)) }] : [];
  });
}

function findProgram(program: string, directory: string, path: string): string | null {
  if (/[/\\]/.test(program)) {
    return resolve(directory, program);
  }
  return (
    path
      .split(delimiter)
      .map((folder) => join(resolve(directory, folder), program))
      .find(isExecutable) ?? null
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return factsOf(file).isFile;
  } catch {
    return false;
  }
}

function factsOf(file: string): { readonly isFile: boolean; readonly size: number } {
  try {
    const entry = statSync(file, { throwIfNoEntry: false });
    return { isFile: entry?.isFile() === true, size: entry?.size ?? 0 };
  } catch {
    return { isFile: false, size: 0 };
  }
}

/** A digest as an in-toto DigestSet. */
export function digestOf(content: string | Uint8Array): ArtifactDescriptor['digest'] {
  return { sha256: createHash('sha256').update(content).digest('hex') };
}
