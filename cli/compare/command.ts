import { checkOutputDirectory, checkOutputFile } from '../shared/files/option-paths.ts';
import type { CommandText } from '../shared/options/command.ts';
import { optional, withDefault } from '../shared/options/option-rows.ts';
import { parseShare } from '../shared/options/values.ts';

/** The options of `stockcheck compare`. */
export const COMPARE_OPTIONS = {
  /** Relative change of a measure for the worse that is tolerated. */
  tolerance: withDefault('<share>', 'how much worse a measure may get', '5%', (text, named) =>
    parseShare(named, text),
  ),
  json: optional('<file>', 'write requirements against reports as JSON; - for stdout', checkOutputFile),
  report: optional('<dir>', 'write them into this folder as HTML, Markdown and JSON', checkOutputDirectory),
};

/** `stockcheck compare`. */
export const COMPARE: CommandText = {
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
};
