import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { SAMPLE_CLIENTS } from '../../fixtures/clients/index.ts';
import { endOfBinary, temporaryDirectory } from '../run-binary.test-data.ts';

// The package does not bring these clients.
const BINARY_OF_SOURCES = fileURLToPath(new URL('../../bin/stockcheck.js', import.meta.url));
const LONGEST_MILLISECONDS = 600_000;

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

// One of each language and manner, and those of docs/kill-matrix.md; `prove --clients` has them all.
const NAMES = new Set(['driver.py', 'curl.sh', 'jsonl.ts', 'fetch.ts']);
const SOUND = SAMPLE_CLIENTS.filter(({ id }) => NAMES.has(id));
const INSTALLED = SOUND.filter(({ requires }) => requires === undefined || isInstalled(requires));
const UNSOUND = ['jsonl first-key'];

test(
  `clients that behave are certified, whatever it is written in, and others are not (${SOUND.length - INSTALLED.length} not installed)`,
  async () => {
    const ids = [...INSTALLED.map(({ id }) => id), ...UNSOUND].join(',');
    const words = [BINARY_OF_SOURCES, 'prove', '--clients', ids, '--jobs', '5', '--quiet'];
    const { exitCode, stdout } = await endOfBinary(
      spawn(process.execPath, words, { cwd: temporaryDirectory(), stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    expect(stdout).not.toContain('✗');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `${INSTALLED.length + UNSOUND.length} of ${INSTALLED.length + UNSOUND.length} clients`,
    );
  },
  LONGEST_MILLISECONDS,
);
