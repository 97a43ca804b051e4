import { Help } from 'commander';

import { enumeration } from '../../contract/words/enumeration.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { checkInputFile } from '../shared/files/option-paths.ts';
import { flag, list, optional, withDefault } from '../shared/options/option-rows.ts';
import { CERTIFICATE_OPTIONS } from '../shared/options/certificate-options.ts';
import {
  CONNECTION_OPTIONS,
  fieldOptions,
  HISTORY_OPTION,
  levelOption,
  outputOptions,
  requirementsOption,
  TARGET_HELP,
  TARGET_OPTIONS,
} from '../shared/options/shared-options.ts';
import { asSeed, integerWithin, secondsWithin } from '../shared/options/values.ts';
import { SETTING_VARIABLES } from '../shared/configuration/variables.ts';
import type { Subcommand } from '../shared/options/command.ts';
import { BASELINE_OPTION } from './baseline.ts';
import { IMAGE_OPTIONS } from './image-options.ts';

const MOST_EXPLORED = 1_000_000;
const LONGEST_BAN_WAIT_SECONDS = 31 * 86_400;

const GROUPS = {
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
    ),
    exclusive: flag('with --har: nobody else used these keys or wrote to the inventory'),
    only: list('<pattern>', 'requirements or areas to judge, or checks to run (glob)', readPattern),
    explore: optional(
      '<n>',
      'after the checks, send n requests in random sequences; takes a control URL and profile full',
      integerWithin(1, MOST_EXPLORED),
    ),
    seed: optional('<n>', 'what the sequences are drawn with (default: at random, and printed)', asSeed),
    lastFailed: optional(
      '<report>',
      'judge only what failed or was inconclusive in this report (JSON)',
      readLastFailed,
    ),
    level: levelOption(),
    requirements: requirementsOption(),
    baseline: BASELINE_OPTION,
    long: flag('judge the day limit in real time (17 minutes)'),
    /** In seconds. */
    banWait: withDefault(
      '<seconds>',
      'longest wait for the end of a ban',
      '120',
      secondsWithin(0, LONGEST_BAN_WAIT_SECONDS),
    ),
    bail: flag('end the run as soon as a requirement has failed that decides the verdict'),
    dryRun: flag('print the budget of requests and stop'),
  },
  output: { ...outputOptions('verify'), ...HISTORY_OPTION, ...CERTIFICATE_OPTIONS },
};

const { target, scope, output } = GROUPS;

/** The options of `stockcheck verify` but for those of an image. */
export const VERIFY_OPTIONS = { ...target, ...scope, ...output };

const { profile, level, requirements, long, banWait } = scope;

/** What a line says that runs a check again: what decides what is sent and seen, not what is judged or written. */
export const REPEATED_VERIFY_OPTIONS = {
  ...target,
  profile,
  level,
  requirements,
  long,
  banWait,
  ...IMAGE_OPTIONS,
};

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

const HELP_COLUMNS = 80;
const VARIABLES = `A configuration file, variables and options may be mixed: options win over variables, variables over the file. The variables are ${enumeration(SETTING_VARIABLES)}. Lists are separated by commas: STOCKCHECK_KEY_FREE=k1,k2. In the file, "$NAME" is the value of the environment variable NAME. STOCKCHECK_STATE_DIR is where the journal of changed quantities is kept.`;

/** `stockcheck verify`. */
export const VERIFY: Subcommand = {
  summary: 'judge an implementation',
  description: 'Judges an implementation of the service, or with --self the embedded reference server.',
  arguments: { '[TARGET]': TARGET_HELP },
  options: {
    'Target:': target,
    'Image, in place of TARGET (takes a container engine):': IMAGE_OPTIONS,
    'Scope:': scope,
    'Output:': output,
  },
  examples: `
${new Help().boxWrap(VARIABLES, HELP_COLUMNS)}

Examples:
  $ stockcheck verify --report report                    what stockcheck.config.json names
  $ stockcheck verify --self                             the embedded reference server, to try it
  $ stockcheck verify http://127.0.0.1:8080/v1 --key free=k1,k2,k3 --control http://127.0.0.1:9090
  $ stockcheck verify https://staging.example/v1 --key enterprise=k6@5000/500000 --profile safe
  $ stockcheck verify --config staging.json --only 'limit-*' --only authentication --dry-run
  $ stockcheck verify --self --explore 3000 --seed 7     random sequences of requests beside the checks
  $ stockcheck verify --self --certificate certificate.json --certificate-key @signing.pem
  $ stockcheck verify --har traffic.har --report report  traffic that others made
  $ stockcheck verify --image registry.example/inventory:1.2 --image-port 3000 --key free=k1,k2,k3

Exit codes: 0 conformant, 1 nonconformant, 2 bad usage or configuration, 3 inconclusive.`,
  run: async (call) => (await import('./run.ts')).runVerify(call),
};
