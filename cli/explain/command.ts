import type { Command } from 'commander';

import { wantsColor } from '../shared/output/color.ts';
import { applyColor, type ColorFlag, type Done } from '../shared/options/command.ts';
import { noColorOption } from '../shared/options/shared-options.ts';

/** Defines `stockcheck explain`. */
export function defineExplain(program: Command, done: Done): void {
  program
    .command('explain')
    .summary('print the requirement register, or one requirement')
    .description(
      'Prints the requirement register, or one requirement: what it says, which sentence of the specification it rests on, and how it is checked.',
    )
    .argument('[ID]', 'requirement, check or area to explain')
    .option('--json', 'print it as JSON')
    .addOption(noColorOption())
    .addHelpText('after', EXPLAIN_EXAMPLES)
    .action(async (id: string | undefined, flags: ColorFlag & { readonly json?: true }) => {
      applyColor(flags);
      if (flags.json === true) {
        const { registerJson } = await import('./register-json.ts');
        process.stdout.write(registerJson(id ?? null));
        done(0);
        return;
      }
      const { runExplain } = await import('./run.ts');
      done(runExplain({ id: id ?? null, color: wantsColor(process.stdout, process.env) }));
    });
}

const EXPLAIN_EXAMPLES = `
Examples:
  $ stockcheck explain
  $ stockcheck explain retry-after-valid
  $ stockcheck explain limits --json`;
