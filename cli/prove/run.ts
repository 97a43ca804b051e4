import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { countText, isWrong, trialName, type KillMatrix, type TrialResult } from '../../reports/index.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { readOptions } from '../shared/options/option-rows.ts';
import { openProgress, type Progress } from '../shared/output/progress.ts';
import { printList } from '../shared/output/written-files.ts';
import { PROVE_OPTIONS } from './command.ts';
import { readProveOptions, type ProveOptions } from './options.ts';
import { KNOWN_FAULTS } from '../library/verify/power.ts';
import { judgeOpenAgain } from './servers/trials.ts';
import { openTrialPool } from './servers/judging-threads.ts';
import { runWithProgress } from '../shared/interruption.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { packageVersion } from '../library/version.ts';
import { SAMPLE_CLIENTS } from '../../fixtures/clients/index.ts';
import { type Fault, FAULTS, LOAD_FAULTS, VARIANTS } from '../../reference-server/index.ts';

/** Judges every trial and prints the kill matrix; exit code 0 if the suite is proven, else 1. */
export async function runProve({ flags, surroundings }: CommandCall): Promise<number> {
  if (flags['clients'] !== undefined) {
    const { runProveClients } = await import('./clients/run.ts');
    return runProveClients(flags, surroundings);
  }
  if (flags['list'] === true) {
    const { json } = readOptions(PROVE_OPTIONS, flags, surroundings);
    await printList(json, catalogueInWords(), catalogueValue());
    return 0;
  }
  return judgeTrials(readProveOptions(flags, surroundings));
}

async function judgeTrials(options: ProveOptions): Promise<number> {
  const { trials, underlying, profile, bail, realTimeKeys, jobs, by, exploration } = options;
  const startedAt = new Date();
  const started = performance.now();
  const progress = showProveProgress(trials.length, options.quiet);
  return runWithProgress(progress, 'Interrupted: stopping the servers.', async (signal) => {
    const state = mkdtempSync(join(tmpdir(), 'stockcheck-prove-'));
    const extent = { profile, bail, by, realTimeKeys, exploration };
    const pool = openTrialPool(Math.min(jobs, trials.length), extent, state);
    signal.addEventListener('abort', () => void pool.close());
    try {
      progress.note(`Judging ${countText(trials.length, 'server')}, ${jobs} at a time`);
      const judged = await Promise.all(
        trials.map(async (trial) => {
          const result = await pool.judge(trial);
          progress.onResult(result);
          return { trial, result };
        }),
      );
      const results = await judgeOpenAgain(
        judged,
        async (trial) => {
          progress.note(`Judging again, alone, what was left open: ${trialName(trial)}`);
          return pool.judge(trial);
        },
        // In real time each takes minutes.
        ({ fault }) => realTimeKeys === null || fault === null || showsWithoutControl(fault.id),
      );
      progress.stop();
      const matrix: KillMatrix = {
        schemaVersion: 1,
        kind: 'prove',
        verdict: results.some(({ result }) => isWrong(result)) ? 'not-proven' : 'proven',
        startedAt: startedAt.toISOString(),
        durationSeconds: (performance.now() - started) / 1_000,
        suite: { version: packageVersion(), specVersion: '1.0.0' },
        by,
        realTimeKeys,
        explored: by === 'explore' ? exploration : null,
        underlying: underlying.map(({ id }) => id),
        bail,
        trials: results.map(({ result }) => result),
      };
      return await finishRun(matrix, options, {});
    } finally {
      await pool.close();
      rmSync(state, { recursive: true, force: true });
    }
  });
}

/** Shows how many of the servers are judged. */
function showProveProgress(
  total: number,
  quiet: boolean,
): Progress & { readonly onResult: (result: TrialResult) => void } {
  const progress = openProgress({ quiet, plainLineEverySeconds: 10 });
  let done = 0;
  let wrong = 0;
  return {
    ...progress,
    onResult: (result) => {
      done += 1;
      if (isWrong(result)) {
        wrong += 1;
        progress.note(`wrong: ${trialName(result)} (${result.outcome})`);
      }
      progress.show(`${done} of ${total} servers judged, ${wrong} wrongly`);
    },
  };
}

/** Whether the record of known faults says so; what it does not hold may. */
function showsWithoutControl(id: string): boolean {
  return KNOWN_FAULTS[id]?.withoutControl.length !== 0;
}

/** All variants, faults and sample clients, as a value for JSON. */
function catalogueValue(): object {
  return {
    schemaVersion: 1,
    kind: 'catalogue',
    variants: VARIANTS.map(({ id, freedom, title }) => ({ id, freedom, title })),
    faults: FAULTS.map(faultEntry),
    loadFaults: LOAD_FAULTS.map(faultEntry),
    clients: SAMPLE_CLIENTS.map(({ id, expected, title }) => ({ id, expected, title })),
  };
}

function faultEntry({ id, breaks, title }: Fault): Pick<Fault, 'id' | 'breaks' | 'title'> {
  return { id, breaks, title };
}

/** The same, a line each. */
function catalogueInWords(): string {
  const rows = [
    `Variants (${VARIANTS.length}), what the specification permits:`,
    ...VARIANTS.map(({ id, freedom, title }) => `  ${id}  [${freedom}]  ${title}`),
    '',
    `Faults (${FAULTS.length}), what it forbids:`,
    ...FAULTS.map(describeFault),
    '',
    `Faults that show only under load (${LOAD_FAULTS.length}), for stockcheck serve:`,
    ...LOAD_FAULTS.map(describeFault),
    '',
    `Sample clients (${SAMPLE_CLIENTS.length}), for --clients:`,
    ...SAMPLE_CLIENTS.map(({ id, expected, title }) => `  ${id}  [${expected}]  ${title}`),
  ];
  return `${rows.join('\n')}\n`;
}

function describeFault({ id, breaks, title }: Fault): string {
  return `  ${id}  [${breaks}]  ${title}`;
}
