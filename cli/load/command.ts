import type { Command } from 'commander';

import type { LoadFlags } from './load-options.ts';
import {
  applyColor,
  surroundings,
  warnOfVariables,
  type ColorFlag,
  type Done,
} from '../shared/options/command.ts';
import { STDOUT } from '../shared/output/text-output.ts';
import { addOptions, optionsOf } from '../shared/options/option-rows.ts';
import { outputOptionsOf, TARGET_HELP } from '../shared/options/shared-options.ts';
import { LOAD_GROUPS, LOAD_OUTPUT } from './option-rows.ts';

/** Defines `stockcheck load`. */
export function defineLoad(program: Command, done: Done): void {
  const command = program
    .command('load')
    .summary('measure a target under load')
    .description(
      'Runs load scenarios against a target and checks that the specification still holds. With --self it loads the embedded reference server.',
    )
    .argument('[TARGET]', TARGET_HELP)
    .addHelpText('after', LOAD_EXAMPLES)
    .action(async (target: string | undefined, flags: LoadFlags & ColorFlag) => {
      applyColor(flags);
      if (flags.list === true) {
        const { listLoadScenarios, loadScenariosJson } = await import('../library/load/plan-scenarios.ts');
        const { json } = flags;
        if (typeof json === 'string' && json !== STDOUT) {
          const { writeReportText } = await import('../../reports/index.ts');
          await writeReportText(json, loadScenariosJson());
        } else {
          process.stdout.write(json === undefined ? listLoadScenarios() : loadScenariosJson());
        }
        return;
      }
      await warnOfVariables(flags);
      const { readLoadOptions } = await import('./load-options.ts');
      const options = readLoadOptions(target, flags, surroundings());
      const { runLoadCommand } = await import('./run.ts');
      done(await runLoadCommand(options));
    });
  for (const [heading, rows] of Object.entries(LOAD_GROUPS)) {
    addOptions(command, heading, optionsOf(rows));
  }
  addOptions(command, 'Output:', outputOptionsOf(LOAD_OUTPUT));
}

const LOAD_EXAMPLES = `
Examples:
  $ stockcheck load --self --report report               the embedded reference server, to try it
  $ stockcheck load http://127.0.0.1:8080/v1 --key enterprise=KEY@600000/100000000 --scenario latency --rate 500 --duration 30s
  $ stockcheck load --scenario capacity --threshold 'p99<50ms' --threshold 'errors<0.1%'
  $ stockcheck load --scenario limit-accuracy,fairness,mixed
  $ stockcheck load --scenario throughput --threads 4    on four cores of this machine
  $ stockcheck load --scenario latency --rounds 5 --baseline last.json --json this.json
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --max-rate 200
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --fleet redis://10.0.0.5:6379 --fleet-workers 3

Exit codes: 0 every threshold held, 1 a threshold was crossed or a MUST violated, 2 bad usage, 3 inconclusive.`;
