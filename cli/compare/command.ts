import type { Command } from 'commander';

import { wantsColor } from '../shared/output/color.ts';
import { applyColor, type ColorFlag, type Done } from '../shared/options/command.ts';
import { noColorOption } from '../shared/options/shared-options.ts';

/** Defines `stockcheck compare`. */
export function defineCompare(program: Command, done: Done): void {
  program
    .command('compare')
    .summary('compare two reports')
    .description(
      'Compares two reports of verify, certify or load: each requirement, scenario and observation that changed, and the measures of a load.',
    )
    .argument('<A>', 'the earlier report: a file of --json, or a directory of --report')
    .argument('<B>', 'the later report')
    .option('--tolerance <share>', 'how much worse a measure may get', '5%')
    .addOption(noColorOption())
    .addHelpText('after', COMPARE_EXAMPLES)
    .action(async (before: string, after: string, flags: ColorFlag & { readonly tolerance: string }) => {
      applyColor(flags);
      const { parseShare } = await import('../shared/options/values.ts');
      const { runCompare } = await import('./run.ts');
      const tolerance = parseShare('--tolerance', flags.tolerance);
      const color = wantsColor(process.stdout, process.env);
      done(runCompare({ before, after, tolerance, color }));
    });
}

const COMPARE_EXAMPLES = `
Examples:
  $ stockcheck compare release-1.json release-2.json
  $ stockcheck compare report-of-main report
  $ stockcheck compare monday.json tuesday.json --tolerance 10%

Exit codes: 0 nothing that decides a verdict got worse, 1 a requirement or threshold fails that did not fail
before, or a measure got worse, 2 bad usage, 3 a requirement that was judged is no longer judged.`;
