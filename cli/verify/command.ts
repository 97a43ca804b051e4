import type { Command } from 'commander';

import type { VerifyFlags } from './options.ts';
import {
  applyColor,
  collect,
  surroundings,
  warnOfVariables,
  type ColorFlag,
  type Done,
} from '../shared/options/command.ts';
import {
  certificateAuthorityOption,
  configOption,
  controlOption,
  existingPetOption,
  headerOption,
  insecureOption,
  jsonOption,
  keyOption,
  levelOption,
  noColorOption,
  profileOption,
  quietOption,
  reportOption,
  selfOption,
  timeoutOption,
} from '../shared/options/shared-options.ts';

/** Defines `stockcheck verify`. */
export function defineVerify(program: Command, done: Done): void {
  program
    .command('verify')
    .summary('judge an implementation')
    .description('Judges an implementation of the service, or with --self the embedded reference server.')
    .argument('[TARGET]', 'base URL of the implementation, ending in /v1')
    .optionsGroup('Target:')
    .addOption(selfOption())
    .addOption(configOption())
    .addOption(keyOption())
    .option('--revoked-key <key>', 'key that was revoked; repeatable', collect)
    .addOption(controlOption())
    .addOption(existingPetOption())
    .option('--missing-pet <id>', 'petId that belongs to no entry')
    .addOption(insecureOption())
    .addOption(certificateAuthorityOption())
    .addOption(headerOption())
    .addOption(timeoutOption())
    .optionsGroup('Image, in place of TARGET (takes a container engine):')
    .option('--image <name>', 'start a container of this image, judge it and remove it')
    .option('--image-port <port>', 'port of the service in the container (default: 8080)')
    .option('--image-control-port <port>', 'port of the control contract in the container')
    .option('--image-path <path>', 'base path of the service (default: /v1)')
    .option('--image-env <name=value>', 'environment variable of the container; repeatable', collect)
    .option('--image-timeout <seconds>', 'longest wait until the container is healthy (default: 60)')
    .optionsGroup('Scope:')
    .addOption(profileOption())
    .option(
      '--only <pattern>',
      'requirements or areas to judge, or checks to run (glob); repeatable',
      collect,
    )
    .addOption(levelOption())
    .option('--baseline <file>', 'failures that are expected')
    .option('--long', 'judge the day limit in real time (17 minutes)')
    .option('--ban-wait <seconds>', 'longest wait for the end of a ban', '120')
    .option('--dry-run', 'print the budget of requests and stop')
    .optionsGroup('Output:')
    .addOption(jsonOption())
    .addOption(reportOption('verify'))
    .addOption(quietOption())
    .addOption(noColorOption())
    .addHelpText('after', VERIFY_EXAMPLES)
    .action(async (target: string | undefined, flags: VerifyFlags & ColorFlag, command: Command) => {
      applyColor(flags);
      await warnOfVariables(flags);
      const { readVerifyOptions } = await import('./options.ts');
      const options = readVerifyOptions(target, flags, surroundings());
      const { readRepetition } = await import('../shared/output/repeat-line.ts');
      const { runVerify } = await import('./run.ts');
      done(await runVerify(options, readRepetition(command, target)));
    });
}

const VERIFY_EXAMPLES = `
A configuration file, variables and options may be mixed: options win over
variables, variables over the file. The variables are STOCKCHECK_TARGET,
STOCKCHECK_KEY_FREE, _PRO, _BUSINESS and _ENTERPRISE, STOCKCHECK_REVOKED_KEYS,
STOCKCHECK_CONTROL, STOCKCHECK_PETS_EXISTING, STOCKCHECK_PETS_MISSING and
STOCKCHECK_PROFILE. Lists are separated by commas: STOCKCHECK_KEY_FREE=k1,k2.
In the file, "$NAME" is the value of the environment variable NAME.
STOCKCHECK_STATE_DIR is where the journal of changed quantities is kept.

Examples:
  $ stockcheck verify --report report                    what stockcheck.config.json names
  $ stockcheck verify --self                             the embedded reference server, to try it
  $ stockcheck verify http://127.0.0.1:8080/v1 --key free=k1,k2,k3 --control http://127.0.0.1:9090
  $ stockcheck verify https://staging.example/v1 --key enterprise=k6@5000/500000 --profile safe
  $ stockcheck verify --config staging.json --only 'limit-*' --only authentication --dry-run
  $ stockcheck verify --image registry.example/inventory:1.2 --image-port 3000 --key free=k1,k2,k3

Exit codes: 0 conformant, 1 nonconformant, 2 bad usage or configuration, 3 inconclusive.`;
