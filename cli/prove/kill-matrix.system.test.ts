import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { trialName, isWrong, killMatrixTable, validateKillMatrix } from '../../reports/index.ts';
import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const PAGE = fileURLToPath(new URL('../../docs/kill-matrix.md', import.meta.url));
// It gives way to whatever else runs.
const LONGEST_MILLISECONDS = 3_600_000;

test(
  'every fault is caught by the requirement that it breaks, no conformant server is accused, and the page says so',
  async () => {
    // It fills every processor for minutes; what runs beside it in real time goes first.
    setPriority(5);
    const directory = temporaryDirectory();
    const { exitCode } = await runBinary(['prove', '--bail', '--quiet', '--json', 'matrix.json'], directory);
    const { trials } = validateKillMatrix(JSON.parse(readFileSync(join(directory, 'matrix.json'), 'utf8')));
    expect(trials.filter(isWrong).map((trial) => [trialName(trial), trial])).toEqual([]);
    expect(exitCode).toBe(0);
    expect(readFileSync(PAGE, 'utf8')).toContain(killMatrixTable(trials));
  },
  LONGEST_MILLISECONDS,
);
