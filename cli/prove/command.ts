import { availableParallelism } from 'node:os';

import type { Command } from 'commander';

import { optionName } from '../library/option-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { applyColor, surroundings, type ColorFlag, type Done } from '../shared/options/command.ts';
import { addOptions, optionsOf, readOptions } from '../shared/options/option-rows.ts';
import { outputOptionsOf } from '../shared/options/shared-options.ts';
import { wantsColor } from '../shared/output/color.ts';
import { PROVE_GROUPS, PROVE_OPTIONS } from './option-rows.ts';
import type { ProveFlags } from './options.ts';

/** Defines `stockcheck prove`. */
export function defineProve(program: Command, done: Done): void {
  const prove = program
    .command('prove')
    .summary('run the suite against every seeded fault and permitted variant')
    .description(
      'Runs the suite against servers with one seeded fault each, and against conformant servers that take each freedom of the specification, and prints the kill matrix.',
    )
    .addHelpText('after', PROVE_EXAMPLES)
    .action(async (flags: ProveFlags & ColorFlag) => {
      applyColor(flags);
      if (flags.clients !== undefined) {
        done(await proveClients(flags));
      } else if (flags.list === true) {
        const { json } = readOptions(PROVE_OPTIONS, flags, surroundings());
        const { listCatalogue } = await import('./list.ts');
        done(await listCatalogue(json));
      } else {
        const { readProveOptions } = await import('./options.ts');
        const options = readProveOptions(flags, surroundings());
        const { runProve } = await import('./run.ts');
        done(await runProve(options));
      }
    });
  const heading = 'What to judge (default: every fault and every variant alone):';
  addOptions(prove, heading, optionsOf(PROVE_GROUPS.subjects));
  addOptions(prove, 'Output:', outputOptionsOf(PROVE_GROUPS.output));
}

const OF_CLIENTS = new Set(['clients', 'jobs', 'json', 'quiet', 'color']);
// Some are off by milliseconds, which a busy machine hides.
const CLIENTS_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));

/** Sample clients are certified by all scenarios, and reported in words or as JSON. */
async function proveClients(flags: ProveFlags & ColorFlag): Promise<number> {
  const idle = Object.keys(flags).find((name) => !OF_CLIENTS.has(name));
  if (idle !== undefined) {
    throw new ConfigurationError(`${optionName(idle)} has no meaning beside --clients`);
  }
  const { jobs, json, quiet } = readOptions(PROVE_OPTIONS, flags, surroundings());
  const { runProveClients } = await import('./clients/run.ts');
  return runProveClients({
    patterns: typeof flags.clients === 'string' ? [flags.clients] : [],
    jobs: jobs ?? CLIENTS_AT_ONCE,
    json,
    quiet,
    color: wantsColor(process.stdout, process.env),
  });
}

const PROVE_EXAMPLES = `
Examples:
  $ stockcheck prove --report proof
  $ stockcheck prove --fault 'ban-*' --fault 'retry-after-*'
  $ stockcheck prove --with slow-150-milliseconds
  $ stockcheck prove --random 300 --seed 7
  $ stockcheck prove --only-own

Exit codes: 0 every fault caught by the requirement that it breaks and no false alarm, 1 otherwise, 2 bad usage.`;
