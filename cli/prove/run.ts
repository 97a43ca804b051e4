import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isWrong, type KillMatrix, renderKillMatrix, type TrialResult } from '../../reports/index.ts';
import { wantsColor } from '../shared/output/color.ts';
import { EXIT_INTERRUPTED, EXIT_UNWRITABLE } from '../shared/exit-codes.ts';
import { ENDING_SIGNALS } from '../shared/interruption.ts';
import type { ProveOptions } from './options.ts';
import { openTrialPool } from './servers/judging-threads.ts';
import { showProveProgress } from './progress.ts';
import { shrinkTrial } from './servers/smallest-combination.ts';
import type { Trial } from './servers/trials.ts';
import { textOutput } from '../shared/output/text-output.ts';
import { packageVersion } from '../shared/version.ts';
import { writeReports } from '../shared/output/write-reports.ts';

// Beyond a few, the smallest combinations tell the same.
const MOST_SHRUNK = 10;

/** Judges every trial and prints the kill matrix; exit code 0 where the suite is proven, else 1. */
export async function runProve(options: ProveOptions): Promise<number> {
  const { trials, underlying, profile, onlyOwn, seed, quiet } = options;
  const startedAt = new Date();
  const started = performance.now();
  const state = mkdtempSync(join(tmpdir(), 'stockcheck-prove-'));
  const progress = showProveProgress(trials.length, {
    quiet,
    color: wantsColor(process.stderr, process.env),
    stream: process.stderr,
  });
  const pool = openTrialPool(Math.min(options.jobs, trials.length), { profile, onlyOwn }, state);
  const interruption = new AbortController();
  const onSignal = (): void => {
    interruption.abort();
    void pool.close();
  };
  ENDING_SIGNALS.forEach((name) => process.once(name, onSignal));
  try {
    progress.note(`Judging ${trials.length} servers, ${options.jobs} at a time`);
    const results = await Promise.all(
      trials.map(async (trial) => {
        const result = await pool.judge(trial);
        progress.onResult(result);
        return { trial, result };
      }),
    );
    const wrong = results.filter(({ result }) => isWrong(result));
    const toShrink = wrong.filter(({ trial }) => canShrink(trial, underlying)).slice(0, MOST_SHRUNK);
    if (toShrink.length > 0) {
      progress.note(`Looking for the smallest combination in ${toShrink.length} of ${wrong.length}`);
    }
    const smallest = await Promise.all(
      toShrink.map(({ trial, result }) => shrinkTrial(trial, result, underlying, pool.judge)),
    );
    progress.stop();
    const matrix: KillMatrix = {
      schemaVersion: 1,
      kind: 'prove',
      verdict: wrong.length === 0 ? 'proven' : 'not-proven',
      startedAt: startedAt.toISOString(),
      durationSeconds: (performance.now() - started) / 1_000,
      suite: { version: packageVersion(), specVersion: '1.0.0' },
      underlying: underlying.map(({ id }) => id),
      seed,
      onlyOwn,
      trials: results.map(({ result }): TrialResult => result),
      smallest,
    };
    const text = textOutput(options, options.json);
    text.write(renderKillMatrix(matrix, text.color));
    const { paths, problem } = await writeReports(matrix, options);
    if (paths.length > 0) {
      text.write(`Report: ${paths.join(', ')}\n`);
    }
    if (problem !== null) {
      process.stderr.write(`stockcheck: ${problem}\n`);
      return EXIT_UNWRITABLE;
    }
    return wrong.length === 0 ? 0 : 1;
  } catch (error) {
    if (interruption.signal.aborted) {
      return EXIT_INTERRUPTED;
    }
    throw error;
  } finally {
    progress.stop();
    ENDING_SIGNALS.forEach((name) => process.off(name, onSignal));
    await pool.close();
    rmSync(state, { recursive: true, force: true });
  }
}

function canShrink({ variants }: Trial, underlying: ProveOptions['underlying']): boolean {
  return variants.some((variant) => !underlying.includes(variant));
}
