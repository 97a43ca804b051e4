import { asText, flag, optional } from '../shared/options/option-rows.ts';
import {
  CONNECTION_OPTIONS,
  fieldOptions,
  outputOptions,
  TARGET_OPTIONS,
} from '../shared/options/shared-options.ts';
import { integerWithin } from '../shared/options/values.ts';

const MOST_ATTEMPTS = 1_000;

/** The groups of options of `stockcheck replay`, in the order of its help. */
export const REPLAY_GROUPS = {
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

const { finding, target, output } = REPLAY_GROUPS;

export const REPLAY_OPTIONS = { ...finding, ...target, ...output };
