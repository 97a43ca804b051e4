import { asText, flag, optional } from '../shared/options/option-rows.ts';
import {
  CONNECTION_OPTIONS,
  fieldOptions,
  outputOptions,
  TARGET_OPTIONS,
} from '../shared/options/shared-options.ts';
import { integerWithin } from '../shared/options/values.ts';
import type { Subcommand } from '../shared/options/command.ts';

const MOST_ATTEMPTS = 1_000;

const GROUPS = {
  finding: {
    attempts: optional(
      '<n>',
      'send it up to so many times until the fault shows (default: as the trail says)',
      integerWithin(1, MOST_ATTEMPTS),
    ),
    long: flag('let checks take many windows of real time (17 minutes for a day limit)'),
  },
  target: {
    target: optional('<url>', 'base URL of the service (default: that of the report)', asText),
    ...TARGET_OPTIONS,
    ...fieldOptions('key', 'revokedKey', 'control', 'profile'),
    ...CONNECTION_OPTIONS,
  },
  output: outputOptions('verify'),
};

const { finding, target, output } = GROUPS;

export const REPLAY_OPTIONS = { ...finding, ...target, ...output };

/** `stockcheck replay`. */
export const REPLAY: Subcommand = {
  summary: 'look for the violation of a finding again',
  description:
    'Plays what led to a finding again, on fresh keys if the control URL issues them, and judges the requirement that was violated.',
  arguments: {
    '<REPORT>': 'a report as JSON, a folder of --report, or a file of --history',
    '[ID]': 'which finding of the report, such as update-sets-1; it may be left out if there is only one',
  },
  options: { 'Finding:': finding, 'Target:': target, 'Output:': output },
  examples: `
Without --target, the target of the report and its control URL are taken.
What the oracle found is looked for in the trail, which is sent again; what a check found, by that check. With a control
URL that issues keys, what does not show that way is looked for by all checks of the run, or by the same exploration.
What goes beyond a limit needs profile full, and keys for that. Each pet that was changed is put back.

Examples:
  $ stockcheck replay report/report.json update-sets-1
  $ stockcheck replay report update-sets-1 --target http://127.0.0.1:8080/v1 --key free=k1
  $ stockcheck replay report update-sets-1 --self    the reference server, which has no fault

Exit codes: 0 the fault is gone, 1 it is there, 2 bad usage or configuration, 3 it could not be told.`,
  run: async (call) => (await import('./run.ts')).runReplay(call),
};
