import type { Subcommand } from '../shared/options/command.ts';
import { flag } from '../shared/options/option-rows.ts';

/** `stockcheck explain`. */
export const EXPLAIN: Subcommand = {
  summary: 'print the requirement register, or one requirement',
  description:
    'Prints the requirement register, or one requirement: what it says, which sentence of the specification it rests on, and how it is checked.',
  arguments: { '[ID]': 'requirement, check or area to explain' },
  options: { 'Options:': { json: flag('print it as JSON') } },
  examples: `
Examples:
  $ stockcheck explain
  $ stockcheck explain retry-after-valid
  $ stockcheck explain limits --json`,
  run: async (call) => (await import('./run.ts')).runExplain(call),
};
