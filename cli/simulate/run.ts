import { join } from 'node:path';

import type { PolicyTrial, SimulationResult } from '../../contract/simulation-result.ts';
import { renderStorm, renderStormHtml, writeReportText } from '../../reports/index.ts';
import {
  clientChanges,
  keepsWithinCapacity,
  outcomeOf,
  playStorm,
  ranked,
  serverChanges,
  type Storm,
  type StormChange,
  type StormFollower,
  trialOf,
} from '../../simulation/index.ts';
import { packageVersion } from '../library/version.ts';
import { runInterruptibly } from '../shared/interruption.ts';
import { openProgress, type Progress } from '../shared/output/progress.ts';
import { STDOUT, textOutput } from '../shared/output/text-output.ts';
import type { SimulateOptions } from './options.ts';

/**
 * Plays the storm, and those of a search.
 * @returns the exit code
 */
export async function runSimulate(options: SimulateOptions): Promise<number> {
  const progress = openProgress({ quiet: options.quiet, plainLineEverySeconds: 2 });
  const onInterruption = (): void => progress.note('Interrupted: nothing is written.');
  return runInterruptibly({ onInterruption }, async (signal) => {
    try {
      const result = await simulate(options, progress, signal);
      progress.stop();
      await write(result, options);
      return 0;
    } finally {
      progress.stop();
    }
  });
}

async function simulate(
  { storm, open, setting, search }: SimulateOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<SimulationResult> {
  const { longestWait } = setting;
  const outcome = outcomeOf(storm, await playStorm(storm, follower('playing', storm, progress, signal)));

  async function trials(what: string, changes: readonly StormChange[]): Promise<readonly PolicyTrial[]> {
    const tried: PolicyTrial[] = [];
    for (const [index, change] of changes.entries()) {
      const label = `${what} ${index + 1} of ${changes.length}`;
      const changed = change.apply(storm);
      const running = await playStorm(changed, follower(label, storm, progress, signal));
      tried.push(trialOf(change, changed, running, longestWait));
    }
    return ranked(tried);
  }

  return {
    schemaVersion: 1,
    kind: 'simulate',
    suite: { version: packageVersion() },
    setting,
    holds: keepsWithinCapacity(outcome, longestWait),
    outcome,
    serverPolicies:
      search === 'server' || search === 'both'
        ? await trials('policy of the server', serverChanges(storm, open))
        : [],
    clientPolicies:
      search === 'client' || search === 'both'
        ? await trials('policy of the client', clientChanges(storm))
        : [],
  };
}

function follower(
  label: string,
  { clients, durationSeconds }: Storm,
  progress: Progress,
  signal: AbortSignal,
): StormFollower {
  return {
    signal,
    onProgress: (seconds, served) =>
      progress.show(
        label,
        `: ${seconds.toFixed(0)} s of at most ${durationSeconds} s`,
        `, ${served} of ${clients} clients served`,
      ),
  };
}

async function write(result: SimulationResult, options: SimulateOptions): Promise<void> {
  const { json, report } = options;
  const output = textOutput(options);
  output.write(renderStorm(result, output.color));
  const text = `${JSON.stringify(result, null, 2)}\n`;
  if (json === STDOUT) {
    process.stdout.write(text);
  } else if (json !== null) {
    await writeReportText(json, text);
  }
  if (report !== null) {
    const page = join(report, 'simulation.html');
    await writeReportText(join(report, 'simulation.json'), text);
    await writeReportText(page, await renderStormHtml(result));
    output.write(`\nReport: ${page}\n`);
  }
}
