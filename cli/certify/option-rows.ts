import { DRIVERS } from '../library/certify/client-driver.ts';
import { FEWEST_CLIENTS, MOST_CLIENTS } from '../library/certify/judge-client.ts';
import { checkInputFile } from '../shared/files/option-paths.ts';
import { readLikeness } from '../shared/files/twin-file.ts';
import { asText, flag, list, optional, withDefault } from '../shared/options/option-rows.ts';
import { CERTIFICATE_OPTIONS } from '../shared/options/certificate-options.ts';
import {
  baselineOption,
  levelOption,
  HISTORY_OPTION,
  outputOptions,
  requirementsOption,
} from '../shared/options/shared-options.ts';
import { integerWithin, parseChoice, secondsWithin } from '../shared/options/values.ts';

/** The groups of options of `stockcheck certify`, in the order of its help. */
export const CERTIFY_GROUPS = {
  client: {
    driver: withDefault(
      '<name>',
      'exec (start it for each scenario), jsonl (one process) or none',
      'exec',
      (text, named) => parseChoice(named, text, DRIVERS),
    ),
    list: { help: 'print the scenarios and stop' },
    only: list('<pattern>', 'scenarios, by id or by what they judge (glob)', asText, { isLeftOut: true }),
    jobs: optional('<n>', 'scenarios side by side (default: 8)', integerWithin(1, 256)),
    patience: optional(
      '<seconds>',
      'silence after which a client is ended (default: 60; with none: 15)',
      secondsWithin(1, 3_600),
    ),
    level: levelOption(),
    requirements: requirementsOption(),
    baseline: baselineOption('failures that are expected, by requirement or scenario'),
    freedoms: flag(
      'play the scenarios that passed again with every choice that services may make, and say where the client fails',
    ),
    herd: optional(
      '<n>',
      'start the client n times at once, and measure how they come back after the same refusals',
      integerWithin(FEWEST_CLIENTS, MOST_CLIENTS),
    ),
    like: optional(
      '<report>',
      'let the server behave as the service that this report of verify judged (JSON, or its folder)',
      readLikeness,
    ),
    host: withDefault('<host>', 'address that the servers listen on', '127.0.0.1', asText),
  },
  output: {
    config: optional(
      '<file>',
      'configuration file; accepted, but nothing in it concerns a client',
      checkInputFile,
    ),
    ...outputOptions('certify'),
    ...HISTORY_OPTION,
    ...CERTIFICATE_OPTIONS,
  },
};

export const CERTIFY_OPTIONS = { ...CERTIFY_GROUPS.client, ...CERTIFY_GROUPS.output };
