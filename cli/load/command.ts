import type { Command } from 'commander';

import type { LoadFlags } from './load-flags.ts';
import { parameterOptions } from './load-parameters.ts';
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
  noColorOption,
  profileOption,
  quietOption,
  reportOption,
  selfOption,
  timeoutOption,
} from '../shared/options/shared-options.ts';

/** Defines `stockcheck load`. */
export function defineLoad(program: Command, done: Done): void {
  const command = program
    .command('load')
    .summary('measure a target under load')
    .description(
      'Runs load scenarios against a target and checks that the specification still holds. With --self it loads the embedded reference server.',
    )
    .argument('[TARGET]', 'base URL of the implementation, ending in /v1')
    .optionsGroup('Load:')
    .option('--scenario <names>', 'scenarios to run (glob); repeatable or comma-separated', collect)
    .option('--list', 'print the scenarios and stop');
  parameterOptions({ ceilings: false }).forEach((option) => command.addOption(option));
  command
    .option(
      '--threshold <limit>',
      "limit such as p99<100ms, instead of the scenarios' own; repeatable",
      collect,
    )
    .option('--baseline <file>', 'compare with an earlier report (JSON) of stockcheck load')
    .option('--tolerance <share>', 'worsening that --baseline tolerates', '5%')
    .optionsGroup('Fleet:')
    .option('--fleet <url>', 'divide the load among the workers of a fleet (redis://HOST:PORT)')
    .option('--fleet-workers <n>', 'workers to divide it among (default: those that are connected)')
    .optionsGroup('Safety:')
    .option('--i-may-load <host>', 'consent to load a host that is not this machine');
  parameterOptions({ ceilings: true }).forEach((option) => command.addOption(option));
  command
    .option('--max-requests <n>', 'most requests that a scenario may announce')
    .option('--dry-run', 'print the rates and the request budget, and stop')
    .optionsGroup('Target:')
    .addOption(selfOption())
    .addOption(configOption())
    .addOption(keyOption())
    .addOption(controlOption())
    .addOption(existingPetOption())
    .addOption(profileOption())
    .option('--level <level>', 'what decides the verdict besides the thresholds: must or should', 'must')
    .addOption(insecureOption())
    .addOption(certificateAuthorityOption())
    .addOption(headerOption())
    .addOption(timeoutOption())
    .optionsGroup('Output:')
    .addOption(jsonOption())
    .addOption(reportOption('load'))
    .option('--openmetrics <file>', 'write the figures as OpenMetrics text; - for stdout')
    .option('--live [port]', 'follow the run on a page at http://127.0.0.1:PORT/ (default: a free port)')
    .addOption(quietOption())
    .addOption(noColorOption())
    .addHelpText('after', LOAD_EXAMPLES)
    .action(async (target: string | undefined, flags: LoadFlags & ColorFlag & ListFlag) => {
      applyColor(flags);
      if (flags.list === true) {
        const { listLoadScenarios } = await import('./list.ts');
        process.stdout.write(listLoadScenarios());
        return;
      }
      await warnOfVariables(flags);
      const { readLoadOptions } = await import('./load-options.ts');
      const options = readLoadOptions(target, flags, surroundings());
      const { runLoadCommand } = await import('./run.ts');
      done(await runLoadCommand(options));
    });
}

interface ListFlag {
  readonly list?: boolean;
}

const LOAD_EXAMPLES = `
Examples:
  $ stockcheck load --self --report report               the embedded reference server, to try it
  $ stockcheck load http://127.0.0.1:8080/v1 --key enterprise=KEY@600000/100000000 --scenario latency --rate 500 --duration 30s
  $ stockcheck load --scenario capacity --threshold 'p99<50ms' --threshold 'errors<0.1%'
  $ stockcheck load --scenario limit-accuracy,fairness,mixed
  $ stockcheck load --scenario latency --rounds 5 --baseline last.json --json this.json
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --max-rate 200
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --fleet redis://10.0.0.5:6379 --fleet-workers 3

Exit codes: 0 every threshold held, 1 a threshold was crossed or a MUST violated, 2 bad usage, 3 inconclusive.`;
