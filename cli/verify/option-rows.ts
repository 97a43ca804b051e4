import { ConfigurationError } from '../../contract/configuration-error.ts';
import { checkInputFile } from '../shared/files/option-paths.ts';
import { flag, list, optional, withDefault } from '../shared/options/option-rows.ts';
import { CERTIFICATE_OPTIONS } from '../shared/options/certificate-options.ts';
import {
  baselineOption,
  CONNECTION_OPTIONS,
  fieldOptions,
  HISTORY_OPTION,
  levelOption,
  outputOptions,
  requirementsOption,
  TARGET_OPTIONS,
} from '../shared/options/shared-options.ts';
import { integerWithin, secondsWithin } from '../shared/options/values.ts';

const MOST_EXPLORED = 1_000_000;
const LARGEST_SEED = 2 ** 32 - 1;
const LONGEST_BAN_WAIT_SECONDS = 31 * 86_400;

/** The groups of options of `stockcheck verify`, in the order of its help. */
export const VERIFY_GROUPS = {
  target: {
    ...TARGET_OPTIONS,
    ...fieldOptions('key', 'revokedKey', 'control', 'existingPet', 'missingPet'),
    ...CONNECTION_OPTIONS,
  },
  scope: {
    ...fieldOptions('profile'),
    har: list(
      '<file>',
      'judge recorded traffic (HAR 1.2, or one entry on each line), or a file of --history, and send nothing',
      checkInputFile,
      { isLeftOut: true },
    ),
    exclusive: flag('with --har: nobody else used these keys or wrote to the inventory', { isLeftOut: true }),
    only: list('<pattern>', 'requirements or areas to judge, or checks to run (glob)', readPattern, {
      isLeftOut: true,
    }),
    explore: optional(
      '<n>',
      'after the checks, send n requests in random sequences',
      integerWithin(1, MOST_EXPLORED),
      { isLeftOut: true },
    ),
    seed: optional(
      '<n>',
      'what the sequences are drawn with (default: at random, and printed)',
      integerWithin(0, LARGEST_SEED),
      { isLeftOut: true },
    ),
    lastFailed: optional(
      '<report>',
      'judge only what failed or was inconclusive in this report (JSON)',
      readLastFailed,
      { isLeftOut: true },
    ),
    level: levelOption(),
    requirements: requirementsOption(),
    baseline: baselineOption('failures that are expected'),
    long: flag('judge the day limit in real time (17 minutes)'),
    /** In seconds. */
    banWait: withDefault(
      '<seconds>',
      'longest wait for the end of a ban',
      '120',
      secondsWithin(0, LONGEST_BAN_WAIT_SECONDS),
    ),
    bail: flag('end the run as soon as a requirement has failed that decides the verdict', {
      isLeftOut: true,
    }),
    dryRun: flag('print the budget of requests and stop', { isLeftOut: true }),
  },
  output: { ...outputOptions('verify'), ...HISTORY_OPTION, ...CERTIFICATE_OPTIONS },
};

const { target, scope, output } = VERIFY_GROUPS;

/** The options of `stockcheck verify` but for those of an image. */
export const VERIFY_OPTIONS = { ...target, ...scope, ...output };

/** @throws {ConfigurationError} if the value is the target */
function readLastFailed(text: string, named: string): string {
  if (/^https?:/i.test(text)) {
    throw new ConfigurationError(
      `${named} takes a report, not a target: write stockcheck verify TARGET ${named} REPORT`,
    );
  }
  return text;
}

/** @throws {ConfigurationError} */
function readPattern(text: string, named: string): string {
  if (text.trim() === '') {
    throw new ConfigurationError(`${named} must hold a pattern, such as limit-* or authentication`);
  }
  return text;
}
