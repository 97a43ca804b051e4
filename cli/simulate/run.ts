import { join } from 'node:path';

import type { SimulationResult } from '../../contract/simulation-result.ts';
import { renderStorm, renderStormHtml, writeReportText } from '../../reports/index.ts';
import type { Storm, StormFollower } from '../../simulation/index.ts';
import { playSimulation } from '../library/simulate/play-simulation.ts';
import { runWithProgress } from '../shared/interruption.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { openProgress, type Progress } from '../shared/output/progress.ts';
import { textOutput } from '../shared/output/text-output.ts';
import { writeJsonValue } from '../shared/output/json-value.ts';
import { readSimulateOptions, type SimulateOptions } from './options.ts';

/**
 * Plays the storm, and those of a search.
 * @returns the exit code
 */
export async function runSimulate({ flags, surroundings }: CommandCall): Promise<number> {
  const options = readSimulateOptions(flags, surroundings);
  const progress = openProgress({ quiet: options.quiet, plainLineEverySeconds: 2 });
  return runWithProgress(progress, 'Interrupted: nothing is written.', async (signal) => {
    const result = await playSimulation(options, options.search, (label) =>
      follower(label, options.storm, progress, signal),
    );
    progress.stop();
    await write(result, options);
    return 0;
  });
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
  if (json !== null) {
    await writeJsonValue(json, result);
  }
  if (report !== null) {
    const page = join(report, 'simulation.html');
    await writeReportText(join(report, 'simulation.json'), `${JSON.stringify(result, null, 2)}\n`);
    await writeReportText(page, await renderStormHtml(result));
    output.write(`\nReport: ${page}\n`);
  }
}
