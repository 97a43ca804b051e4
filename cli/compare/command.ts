import type { Command } from 'commander';

import { wantsColor } from '../shared/output/color.ts';
import { applyColor, surroundings, type ColorFlag, type Done } from '../shared/options/command.ts';
import { noColorOption } from '../shared/options/shared-options.ts';

interface CompareFlags {
  readonly tolerance: string;
  readonly json?: string;
  readonly report?: string;
}

/** Defines `stockcheck compare`. */
export function defineCompare(program: Command, done: Done): void {
  program
    .command('compare')
    .summary('compare reports')
    .description(
      'Compares reports of verify, certify or load: each requirement, scenario and observation that changed from the first to the second, and the measures of a load. Three or more are laid side by side.',
    )
    .argument('<reports...>', 'files of --json, folders of --report, or folders of several reports')
    .option('--tolerance <share>', 'how much worse a measure may get', '5%')
    .option('--json <file>', 'write requirements against reports as JSON; - for stdout')
    .option('--report <dir>', 'write them into this folder as HTML, Markdown and JSON')
    .addOption(noColorOption())
    .addHelpText('after', COMPARE_EXAMPLES)
    .action(async (paths: readonly string[], flags: ColorFlag & CompareFlags) => {
      applyColor(flags);
      const { checkOutputDirectory, checkOutputFile } = await import('../shared/files/option-paths.ts');
      const { parseShare } = await import('../shared/options/values.ts');
      const { runCompare } = await import('./run.ts');
      const tolerance = parseShare('--tolerance', flags.tolerance);
      const color = wantsColor(process.stdout, process.env);
      const place = surroundings();
      const json = flags.json === undefined ? null : checkOutputFile(flags.json, '--json', place);
      const report =
        flags.report === undefined ? null : checkOutputDirectory(flags.report, '--report', place);
      done(await runCompare({ paths, tolerance, json, report, color }));
    });
}

const COMPARE_EXAMPLES = `
Examples:
  $ stockcheck compare release-1.json release-2.json
  $ stockcheck compare report-of-main report
  $ stockcheck compare monday.json tuesday.json --tolerance 10%
  $ stockcheck compare releases/ --report comparison

Exit codes: 0 nothing that decides a verdict got worse, 1 a requirement or threshold fails that did not fail
in the first, or a measure got worse, 2 bad usage, 3 a requirement that was judged is no longer judged.`;
