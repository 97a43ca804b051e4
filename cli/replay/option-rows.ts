import { asText, optional } from '../shared/options/option-rows.ts';
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
    finding: optional('<id>', 'which finding of the report, such as update-sets-1', asText),
    attempts: optional(
      '<n>',
      'send it up to so many times until the fault shows (default: as the trail says)',
      integerWithin(1, MOST_ATTEMPTS),
    ),
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
