import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { getContainerRuntimeClient } from 'testcontainers';
import { onTestFinished } from 'vitest';

import { RUN_LABEL } from './image/container-guard.ts';
import { runBinary, startBinary, type BinaryResult } from '../run-binary.test-data.ts';

const BUILDER = fileURLToPath(new URL('../../tools/image.js', import.meta.url));
const run = promisify(execFile);

/** Builds the project's own image under that name. */
export async function buildImage(tag: string): Promise<void> {
  await run(process.execPath, [BUILDER, '--quiet', '--tag', tag]);
}

/** Builds an image from a Dockerfile alone. */
export async function buildFrom(dockerfile: string, tag: string): Promise<void> {
  const building = run('docker', ['build', '--quiet', '--tag', tag, '-']);
  building.child.stdin?.end(dockerfile);
  await building;
}

/** A run of `verify --image` whose containers are distinguishable from all others. */
export interface ImageRun {
  readonly verify: (words: readonly string[]) => Promise<BinaryResult>;
  /** Starts it, and sends the signal as soon as stderr holds the text; returns the exit code. */
  readonly interrupt: (
    words: readonly string[],
    at: string,
    signal: NodeJS.Signals,
  ) => Promise<number | null>;
  /** How many of its containers the engine still has. */
  readonly containers: () => Promise<number>;
}

export function imageRun(): ImageRun {
  const mark = `TEST_MARK=${randomUUID()}`;
  const all = (words: readonly string[]): readonly string[] => ['verify', '--image-env', mark, ...words];
  return {
    verify: (words) => runBinary(all(words), tmpdir()),
    interrupt: async (words, at, signal) => {
      const child = startBinary(all(words), tmpdir());
      onTestFinished(() => void child.kill('SIGKILL'));
      const closed = Promise.withResolvers<number | null>();
      child.once('close', closed.resolve);
      child.stdout.resume();
      let output = '';
      child.stderr.on('data', (data: Buffer) => {
        const isNew = !output.includes(at);
        output += data.toString();
        if (isNew && output.includes(at)) {
          child.kill(signal);
        }
      });
      return closed.promise;
    },
    containers: async () => {
      const { dockerode } = (await getContainerRuntimeClient()).container;
      const found = await dockerode.listContainers({ all: true, filters: { label: [RUN_LABEL] } });
      const marks = await Promise.all(
        found.map(async ({ Id: id }) => {
          // Another test may be removing its own.
          const container = await dockerode
            .getContainer(id)
            .inspect()
            .catch(() => null);
          return container?.Config.Env.includes(mark) ?? false;
        }),
      );
      return marks.filter(Boolean).length;
    },
  };
}
