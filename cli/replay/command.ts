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
    .summary('send what led to a finding again')
    .description(
      'Sends the trail of a finding again, on fresh keys if the control URL issues them, and judges the requirement that it violated.',
    )
    .argument('<FILE>', 'a report as JSON, a folder of --report, or findings/ID.har in it')
    .addHelpText('after', REPLAY_EXAMPLES)
    .action(async (file: string, flags: ReplayFlags & ColorFlag) => {
      applyColor(flags);
      await warnOfVariables(flags);
      const { readReplayOptions } = await import('./options.ts');
      const options = readReplayOptions(file, flags, surroundings());
      const { runReplay } = await import('./run.ts');
      done(await runReplay(options));
    });
  addOptions(replay, 'Finding:', optionsOf(REPLAY_GROUPS.finding));
  addOptions(replay, 'Target:', optionsOf(REPLAY_GROUPS.target));
  addOptions(replay, 'Output:', outputOptionsOf(REPLAY_GROUPS.output));
}

const REPLAY_EXAMPLES = `
Without --target, the trail goes to the target of the report and its control URL.
A trail that goes beyond a limit needs profile full, and keys for that.
If the trail alone does not show the fault, other checks may have had a part in it. Then, if the control URL issues keys,
what the whole run did until the finding is sent as well, from report.json. At last all checks are performed, or the same
is explored again, as in the run that found it.

Examples:
  $ stockcheck replay report/report.json --finding update-sets-1
  $ stockcheck replay report/findings/update-sets-1.har --target http://127.0.0.1:8080/v1 --key free=k1
  $ stockcheck replay report --finding update-sets-1 --self    the reference server, which has no fault

Exit codes: 0 the fault was not seen, 1 it is there, 2 bad usage or configuration, 3 inconclusive.`;
