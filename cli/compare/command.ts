import { checkOutputDirectory, checkOutputFile } from '../shared/files/option-paths.ts';
import type { Subcommand } from '../shared/options/command.ts';
import { optional, withDefault } from '../shared/options/option-rows.ts';
import { asShare } from '../shared/options/values.ts';

/** The options of `stockcheck compare`. */
export const COMPARE_OPTIONS = {
  /** Relative change of a measure for the worse that is tolerated. */
  tolerance: withDefault('<share>', 'how much worse a measure may get', '5%', asShare),
  json: optional('<file>', 'write requirements against reports as JSON; - for stdout', checkOutputFile),
  report: optional('<dir>', 'write them into this folder as HTML, Markdown and JSON', checkOutputDirectory),
};

/** `stockcheck compare`. */
export const COMPARE: Subcommand = {
  summary: 'compare reports',
  description:
    'Compares reports of verify, certify or load: each requirement, scenario and observation that changed from the first to the second, and the measures of a load. Three or more are laid side by side.',
  arguments: { '<reports...>': 'files of --json, folders of --report, or folders of several reports' },
  options: { 'Options:': COMPARE_OPTIONS },
  examples: `
Examples:
  $ stockcheck compare release-1.json release-2.json
  $ stockcheck compare report-of-main report
  $ stockcheck compare monday.json tuesday.json --tolerance 10%
  $ stockcheck compare releases/ --report comparison

Exit codes: 0 nothing that decides a verdict got worse, 1 a requirement or threshold fails that did not fail
in the first, or a measure got worse, 2 bad usage, 3 a requirement that was judged is no longer judged.`,
  run: async (call) => (await import('./run.ts')).runCompare(call),
};
