import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { seededRandom, type Random } from '../../contract/seeded-random.ts';
import { isWrong, trialName, validateKillMatrix, type TrialResult } from '../../reports/index.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/stockcheck.js', import.meta.url));
/** How long a process runs and then stands still, in milliseconds: between the least and the most. */
const RUNS = [200, 900] as const;
const STALLS = [2_000, 9_000] as const;

process.exitCode = await judgeWithStalls();

/**
 * Has conformant servers judged by processes that stand still now and then, suite and server alike, as on a machine that
 * has too much to do.
 * @returns the exit code: 1 if a server is accused, or left undecided twice; 2 if not all of them were judged
 */
async function judgeWithStalls(): Promise<number> {
  const { values } = parseArgs({
    options: {
      variant: { type: 'string', default: '*' },
      seed: { type: 'string', default: '1' },
      processes: { type: 'string', default: '6' },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-stalls-'));
  const seeds = Array.from({ length: Number(values.processes) }, (_, index) => Number(values.seed) + index);
  const children: ChildProcess[] = [];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => children.forEach((child) => child.kill('SIGKILL')));
  }
  try {
    const found = await Promise.all(
      seeds.map(async (seed) => {
        const file = join(directory, `${seed}.json`);
        const words = ['prove', '--together', '--variant', values.variant, '--jobs', '1', '--json', file];
        const child = spawn(process.execPath, [PROGRAM, ...words], {
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        children.push(child);
        await stall(child, seededRandom(seed));
        return { seed, trials: existsSync(file) ? trialsIn(file) : null };
      }),
    );
    if (found.some(({ trials }) => trials === null)) {
      process.stderr.write('stalls: not every process came to its end; what it said stands above\n');
      return 2;
    }
    const results = found.flatMap(({ seed, trials }) => trials?.map((trial) => ({ seed, trial })) ?? []);
    const wrong = results.filter(({ trial }) => isWrong(trial));
    process.stdout.write(wrong.map(({ seed, trial }) => describeWrong(seed, trial)).join(''));
    process.stdout.write(`${results.length - wrong.length} of ${results.length} servers conformant\n`);
    return wrong.length === 0 ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function trialsIn(file: string): readonly TrialResult[] {
  return validateKillMatrix(JSON.parse(readFileSync(file, 'utf8'))).trials;
}

/** Stops a process and lets it go on, over and over, until it ends. */
async function stall(child: ChildProcess, random: Random): Promise<void> {
  const ended = once(child, 'exit');
  const between = ([least, most]: readonly [number, number]): number => least + random() * (most - least);
  while (child.exitCode === null && child.signalCode === null) {
    await Promise.race([ended, wait(between(RUNS))]);
    child.kill('SIGSTOP');
    await Promise.race([ended, wait(between(STALLS))]);
    child.kill('SIGCONT');
  }
}

function describeWrong(seed: number, trial: TrialResult): string {
  const reasons = [
    ...trial.failed.map(({ id, message }) => `    failed ${id}: ${message}\n`),
    ...trial.undecided.map(({ id, reason }) => `    inconclusive ${id}: ${reason}\n`),
  ];
  return `✗ ${trialName(trial)} (seed ${seed})\n${reasons.join('')}`;
}
