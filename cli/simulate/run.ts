import { join } from 'node:path';

import type { SimulationResult } from '../../contract/simulation-result.ts';
import { renderStorm, renderStormHtml, writeReportText } from '../../reports/index.ts';
import type { Storm, StormFollower } from '../../simulation/index.ts';
import { playSimulation } from '../library/simulate/play-simulation.ts';
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
      const result = await playSimulation(options, options.search, (label) =>
        follower(label, options.storm, progress, signal),
      );
      progress.stop();
      await write(result, options);
      return 0;
    } finally {
      progress.stop();
    }
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
