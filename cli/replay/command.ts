import type { Command } from 'commander';

import {
  applyColor,
  surroundings,
  warnOfVariables,
  type ColorFlag,
  type Done,
} from '../shared/options/command.ts';
import { addOptions, optionsOf } from '../shared/options/option-rows.ts';
import { outputOptionsOf } from '../shared/options/shared-options.ts';
import { REPLAY_GROUPS } from './option-rows.ts';
import type { ReplayFlags } from './options.ts';

/** Defines `stockcheck replay`. */
export function defineReplay(program: Command, done: Done): void {
  const replay = program
    .command('replay')
    .summary('look for the violation of a finding again')
    .description(
      'Plays what led to a finding again, on fresh keys if the control URL issues them, and judges the requirement that was violated.',
    )
    .argument('<REPORT>', 'a report as JSON, a folder of --report, or a file of --history')
    .argument(
      '[ID]',
      'which finding of the report, such as update-sets-1; it may be left out if there is only one',
    )
    .addHelpText('after', REPLAY_EXAMPLES)
    .action(async (file: string, id: string | undefined, flags: ReplayFlags & ColorFlag) => {
      applyColor(flags);
      await warnOfVariables(flags);
      const { readReplayOptions } = await import('./options.ts');
      const options = readReplayOptions({ file, id: id ?? null }, flags, surroundings());
      const { runReplay } = await import('./run.ts');
      done(await runReplay(options));
    });
  addOptions(replay, 'Finding:', optionsOf(REPLAY_GROUPS.finding));
  addOptions(replay, 'Target:', optionsOf(REPLAY_GROUPS.target));
  addOptions(replay, 'Output:', outputOptionsOf(REPLAY_GROUPS.output));
}

const REPLAY_EXAMPLES = `
Without --target, the target of the report and its control URL are taken.
What the oracle found is looked for in the trail, which is sent again; what a check found, by that check. With a control
URL that issues keys, what does not show that way is looked for by all checks of the run, or by the same exploration.
What goes beyond a limit needs profile full, and keys for that. Each pet that was changed is put back.

Examples:
  $ stockcheck replay report/report.json update-sets-1
  $ stockcheck replay report update-sets-1 --target http://127.0.0.1:8080/v1 --key free=k1
  $ stockcheck replay report update-sets-1 --self    the reference server, which has no fault

Exit codes: 0 the fault is gone, 1 it is there, 2 bad usage or configuration, 3 it could not be told.`;
