import type { Command } from 'commander';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import { wantsColor } from '../shared/output/color.ts';
import type { ProveFlags } from './options.ts';
import { parseInteger } from '../shared/options/values.ts';
import { applyColor, collect, surroundings, type ColorFlag, type Done } from '../shared/options/command.ts';
import { noColorOption, quietOption, reportOption } from '../shared/options/shared-options.ts';

/** Defines `stockcheck prove`. */
export function defineProve(program: Command, done: Done): void {
  program
    .command('prove')
    .summary('run the suite against every seeded fault and permitted variant')
    .description(
      'Runs the suite against servers with one seeded fault each, and against conformant servers that take each freedom of the specification, and prints the kill matrix.',
    )
    .optionsGroup('What to judge (default: every fault and every variant alone):')
    .option('--fault <pattern>', 'faults (glob); repeatable, or with commas', collect)
    .option('--variant <pattern>', 'permitted variants (glob); repeatable, or with commas', collect)
    .option('--with <variants>', 'variants that every server has; repeatable, or with commas', collect)
    .option(
      '--profile <name>',
      'judge in this profile only (default: a fault in the first of safe, standard and full that catches it, a conformant server in full)',
    )
    .option('--only-own', 'judge each fault with --only the requirement that it breaks')
    .option('--random <n>', 'draw n combinations of variants with a fault or with none')
    .option('--seed <n>', 'what they are drawn with (default: 1)')
    .option('--list', 'print all faults, variants and sample clients and stop')
    .option('--clients [pattern]', 'certify the sample clients (glob) and compare with their labels instead')
    .optionsGroup('Output:')
    .option('--jobs <n>', 'servers judged at a time (default: two more than processors)')
    .option('--json [file]', 'write the kill matrix, or the list, as JSON; - or nothing for stdout')
    .addOption(reportOption('prove'))
    .addOption(quietOption())
    .addOption(noColorOption())
    .addHelpText('after', PROVE_EXAMPLES)
    .action(async (flags: ProveFlags & ColorFlag & CatalogueFlags) => {
      applyColor(flags);
      if (flags.clients !== undefined) {
        refuseBesideClients(flags);
        const { runProveClients } = await import('./clients/run.ts');
        done(
          await runProveClients({
            patterns: flags.clients === true ? [] : [flags.clients],
            jobs: parseInteger('--jobs', flags.jobs ?? '3', 1, 64),
            quiet: flags.quiet ?? false,
            color: wantsColor(process.stdout, process.env),
          }),
        );
        return;
      }
      if (flags.list === true) {
        const { listCatalogue } = await import('./list.ts');
        const { readJsonPath } = await import('../shared/files/option-paths.ts');
        done(await listCatalogue(flags.json === undefined ? null : readJsonPath(flags.json, process.cwd())));
        return;
      }
      const { readProveOptions } = await import('./options.ts');
      const options = readProveOptions(flags, surroundings());
      const { runProve } = await import('./run.ts');
      done(await runProve(options));
    });
}

/** Sample clients are certified by all scenarios, and reported in words. */
function refuseBesideClients(flags: ProveFlags & CatalogueFlags): void {
  const { fault, variant, with: underlying, profile, random, seed, list, json, report } = flags;
  const given = { fault, variant, with: underlying, profile, random, seed, list, json, report };
  const idle = Object.entries(given).find(([, value]) => value !== undefined);
  if (idle !== undefined) {
    throw new ConfigurationError(`--${idle[0]} has no meaning beside --clients`);
  }
}

interface CatalogueFlags {
  readonly list?: boolean;
  /** `true` without a pattern. */
  readonly clients?: string | true;
}

const PROVE_EXAMPLES = `
Examples:
  $ stockcheck prove --report proof
  $ stockcheck prove --fault 'ban-*' --fault 'retry-after-*'
  $ stockcheck prove --with slow-150-milliseconds
  $ stockcheck prove --random 300 --seed 7
  $ stockcheck prove --only-own

Exit codes: 0 every fault caught by the requirement that it breaks and no false alarm, 1 otherwise, 2 bad usage.`;
