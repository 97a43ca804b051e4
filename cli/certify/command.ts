import { clientBaselineOf } from '../library/certify/baseline.ts';
import { DRIVERS, FEWEST_CLIENTS, MOST_CLIENTS } from '../library/certify/judge-client.ts';
import { checkInputFile } from '../shared/files/option-paths.ts';
import { readLikeness } from '../shared/files/report-file.ts';
import { asText, flag, list, optional, withDefault } from '../shared/options/option-rows.ts';
import { CERTIFICATE_OPTIONS } from '../shared/options/certificate-options.ts';
import {
  levelOption,
  HISTORY_OPTION,
  outputOptions,
  requirementsOption,
} from '../shared/options/shared-options.ts';
import { integerWithin, oneOf, secondsWithin } from '../shared/options/values.ts';
import type { Subcommand } from '../shared/options/command.ts';
import { baselineOption } from '../verify/baseline.ts';

const GROUPS = {
  client: {
    driver: withDefault(
      '<name>',
      'exec (start it for each scenario), jsonl (one process) or none',
      'exec',
      oneOf(DRIVERS),
    ),
    list: { help: 'print the scenarios and stop' },
    only: list('<pattern>', 'scenarios, by id or by what they judge (glob)', asText),
    jobs: optional('<n>', 'scenarios side by side (default: 8)', integerWithin(1, 256)),
    patience: optional(
      '<seconds>',
      'silence after which a client is ended (default: 60; with none: 15)',
      secondsWithin(1, 3_600),
    ),
    level: levelOption(),
    requirements: requirementsOption(),
    baseline: baselineOption('failures that are expected, by requirement or scenario', clientBaselineOf),
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

export const CERTIFY_OPTIONS = { ...GROUPS.client, ...GROUPS.output };

const { only: _only, baseline: _baseline, ...ofClient } = GROUPS.client;

/** What a line says that plays a scenario again: what decides how, not what is judged or written. */
export const REPEATED_CERTIFY_OPTIONS = { ...ofClient, config: GROUPS.output.config };

/** `stockcheck certify`. */
export const CERTIFY: Subcommand = {
  summary: 'judge a client program',
  description:
    'Judges a client: starts it once for each scenario against a server of its own, and checks what it sends, when it sends it, and what it reports.',
  usage: '[options] -- CMD...',
  arguments: { '[CMD...]': 'the client and its arguments, after --' },
  takesProgram: true,
  options: { 'Options:': GROUPS.client, 'Output:': GROUPS.output },
  examples: `
The client gets STOCKCHECK_BASE_URL, STOCKCHECK_API_KEY and STOCKCHECK_OPERATION
(listInventory or updateInventory, then also STOCKCHECK_PET_ID and
STOCKCHECK_QUANTITY), performs that one operation with whatever retrying it does,
and prints as its last line {"ok":true,"value":…} or
{"ok":false,"error":{"code":"…","message":"…","status":404}}.

Examples:
  $ stockcheck certify --report report -- node client.js
  $ stockcheck certify --json certify.json -- python3 client.py --verbose
  $ stockcheck certify --driver jsonl -- ./client --jsonl
  $ stockcheck certify --herd 16 --only 'limited-*' -- node client.js
  $ stockcheck certify --certificate certificate.json --certificate-key @signing.pem -- node client.js
  $ stockcheck certify --driver none --only 'limited-*'
  $ stockcheck certify --list

Exit codes: 0 certified, 1 not certified, 2 bad usage, 3 inconclusive.`,
  run: async (call) => (await import('./run.ts')).runCertify(call),
};
