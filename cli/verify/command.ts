import { Help, type Command } from 'commander';

import { enumeration } from '../../contract/words/enumeration.ts';
import { SETTING_VARIABLES } from '../shared/configuration/variables.ts';
import {
  applyColor,
  surroundings,
  warnOfVariables,
  type ColorFlag,
  type Done,
} from '../shared/options/command.ts';
import { addOptions, optionsOf } from '../shared/options/option-rows.ts';
import { outputOptionsOf, TARGET_HELP } from '../shared/options/shared-options.ts';
import { IMAGE_OPTIONS } from './image-options.ts';
import { VERIFY_GROUPS, VERIFY_OPTIONS } from './option-rows.ts';
import type { VerifyFlags } from './options.ts';

/** Defines `stockcheck verify`. */
export function defineVerify(program: Command, done: Done): void {
  const verify = program
    .command('verify')
    .summary('judge an implementation')
    .description('Judges an implementation of the service, or with --self the embedded reference server.')
    .argument('[TARGET]', TARGET_HELP)
    .addHelpText('after', VERIFY_EXAMPLES)
    .action(async (target: string | undefined, flags: VerifyFlags & ColorFlag) => {
      applyColor(flags);
      await warnOfVariables(flags);
      const { readHarOptions, readVerifyOptions } = await import('./options.ts');
      if (flags.har !== undefined) {
        const { judgeHar } = await import('./judge-har.ts');
        done(await judgeHar(readHarOptions(target, flags, surroundings())));
        return;
      }
      const options = readVerifyOptions(target, flags, surroundings());
      const { readRepetition } = await import('../shared/output/repeat-line.ts');
      const { runVerify } = await import('./run.ts');
      const rows = { ...VERIFY_OPTIONS, ...IMAGE_OPTIONS };
      done(await runVerify(options, readRepetition('verify', target, rows, flags)));
    });
  addOptions(verify, 'Target:', optionsOf(VERIFY_GROUPS.target));
  addOptions(verify, 'Image, in place of TARGET (takes a container engine):', optionsOf(IMAGE_OPTIONS));
  addOptions(verify, 'Scope:', optionsOf(VERIFY_GROUPS.scope));
  addOptions(verify, 'Output:', outputOptionsOf(VERIFY_GROUPS.output));
}

const HELP_COLUMNS = 80;
const VARIABLES = `A configuration file, variables and options may be mixed: options win over variables, variables over the file. The variables are ${enumeration(SETTING_VARIABLES)}. Lists are separated by commas: STOCKCHECK_KEY_FREE=k1,k2. In the file, "$NAME" is the value of the environment variable NAME. STOCKCHECK_STATE_DIR is where the journal of changed quantities is kept.`;

const VERIFY_EXAMPLES = `
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

Exit codes: 0 conformant, 1 nonconformant, 2 bad usage or configuration, 3 inconclusive.`;
