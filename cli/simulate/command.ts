import type { Command } from 'commander';

import { applyColor, surroundings, type ColorFlag, type Done } from '../shared/options/command.ts';
import { addOptions, optionsOf } from '../shared/options/option-rows.ts';
import { outputOptionsOf } from '../shared/options/shared-options.ts';
import { SIMULATE_GROUPS, SIMULATE_OUTPUT } from './option-rows.ts';
import type { SimulateFlags } from './options.ts';

/** Defines `stockcheck simulate`. */
export function defineSimulate(program: Command, done: Done): void {
  const command = program
    .command('simulate')
    .summary('play a crowd of clients against limits and a capacity')
    .description(
      'Plays a population of clients against the limits of the reference server, or of a service like yours, and a capacity, in virtual time. Nothing is sent.',
    )
    .addHelpText('after', SIMULATE_EXAMPLES)
    .action(async (flags: SimulateFlags & ColorFlag) => {
      applyColor(flags);
      const { readSimulateOptions } = await import('./options.ts');
      const options = readSimulateOptions(flags, surroundings());
      const { runSimulate } = await import('./run.ts');
      done(await runSimulate(options));
    });
  for (const [heading, rows] of Object.entries(SIMULATE_GROUPS)) {
    addOptions(command, heading, optionsOf(rows));
  }
  addOptions(command, 'Output:', outputOptionsOf(SIMULATE_OUTPUT));
}

const SIMULATE_EXAMPLES = `
Examples:
  $ stockcheck simulate
  $ stockcheck simulate --clients 5000 --client exact@70% --client jitter:30s@20% --client ignores@10%
  $ stockcheck simulate --like report --load load.json --client certify.json
  $ stockcheck simulate --variant aligned-windows,retry-after-as-date --search both --report storm
  $ stockcheck simulate --limit 3/1000 --requests 7 --clients 1000000 --arrivals 50m --capacity 3000 --seed 1

Exit codes: 0 the storm was played, 2 bad usage.`;
