import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { VARIANTS } from '../../reference-server/index.ts';
import { trialName, isWrong, summarize, validateKillMatrix } from '../../reports/index.ts';
import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const PAGE = fileURLToPath(new URL('../../docs/kill-matrix.md', import.meta.url));
// It gives way to whatever else runs.
const LONGEST_MILLISECONDS = 3_600_000;

test(
  'every fault is caught by the requirement that it breaks, no freedom is accused, and the page says so',
  { retry: 0, timeout: LONGEST_MILLISECONDS },
  async () => {
    // It fills every processor for minutes; what runs beside it in real time goes first.
    setPriority(5);
    const directory = temporaryDirectory();
    const words = ['prove', '--bail', '--together', '--quiet', '--json', 'matrix.json'];
    const { exitCode } = await runBinary(words, directory);
    const { trials } = validateKillMatrix(JSON.parse(readFileSync(join(directory, 'matrix.json'), 'utf8')));
    expect(trials.filter(isWrong).map((trial) => [trialName(trial), trial])).toEqual([]);
    expect(exitCode).toBe(0);
    const taken = new Set(trials.flatMap(({ variants }) => variants.map(({ id }) => id)));
    expect(taken).toEqual(new Set(VARIANTS.map(({ id }) => id)));
    // The page counts each freedom as a server of its own.
    const { total, falseAlarms } = summarize(trials);
    expect(readFileSync(PAGE, 'utf8')).toContain(
      `proven: ${total.caught} of ${total.faults} faults caught by the requirement they break, ${falseAlarms} false alarms on ${VARIANTS.length + 1} conformant servers`,
    );
  },
);
