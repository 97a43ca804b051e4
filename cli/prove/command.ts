import { PLANS } from '../../contract/plans.ts';
import { PROFILES } from '../../contract/verdict.ts';
import { matchingFaults, matchingVariants, readVariants } from '../library/catalogue.ts';
import { checkOutputFile } from '../shared/files/option-paths.ts';
import { flag, optional, together, withDefault } from '../shared/options/option-rows.ts';
import { SOURCES } from '../../reports/index.ts';
import { reportOptions } from '../shared/options/shared-options.ts';
import { asSeed, integerWithin, oneOf } from '../shared/options/values.ts';
import { STDOUT } from '../shared/output/text-output.ts';
import type { Subcommand } from '../shared/options/command.ts';

const MOST_EXPLORED = 1_000_000;
/** Requests of random sequences to each server. */
export const EXPLORED_BY_DEFAULT = 3_000;
const MOST_JOBS = 64;

const GROUPS = {
  subjects: {
    fault: together('<pattern>', 'faults (glob), or several with commas', (texts, named) =>
      texts.length === 0 ? null : matchingFaults(named, texts),
    ),
    variant: together('<pattern>', 'permitted variants (glob), or several with commas', (texts, named) =>
      texts.length === 0 ? null : matchingVariants(named, texts),
    ),
    with: together('<variants>', 'variants that every server has, or several with commas', (texts, named) =>
      readVariants(named, texts),
    ),
    profile: optional(
      '<name>',
      'judge in this profile only (default: a fault in the first of safe, standard and full that catches it, a conformant server in full)',
      oneOf(PROFILES),
    ),
    by: withDefault(
      '<source>',
      'what sends: checks, or explore (random sequences of requests)',
      'checks',
      oneOf(SOURCES),
    ),
    explore: optional(
      '<n>',
      `requests of random sequences to each server (default: ${EXPLORED_BY_DEFAULT})`,
      integerWithin(1, MOST_EXPLORED),
    ),
    bail: flag(
      'end each run against a fault once the requirement that it breaks has failed, and begin with that, in profile full; the matrix then lacks most of what else fails',
    ),
    realTime: flag(
      'judge without the control contract, as most targets are: a server takes up to two minutes, most of it waiting',
    ),
    keys: optional(
      '<plans>',
      'plans of the keys that a run in real time is given, with commas (default: three free, one of each other plan)',
      (text, named) => text.split(',').map((plan) => oneOf(PLANS)(plan.trim(), named)),
    ),
    together: flag(
      'conformant servers take about eight variants each instead of one, so that fewer are judged',
    ),
    seed: optional('<n>', 'what sequences are drawn with (default: 1)', asSeed),
    list: { help: 'print all faults, variants and sample clients and stop' },
    clients: {
      placeholder: '[pattern]',
      help: 'certify the sample clients (glob) and compare with their labels instead',
    },
  },
  output: {
    jobs: optional(
      '<n>',
      'servers judged at a time (default: two more than processors), or clients (default: half the processors)',
      integerWithin(1, MOST_JOBS),
    ),
    json: optional(
      '[file]',
      'write the kill matrix, the list, or what clients showed as JSON; - or nothing for stdout',
      (text, named, place) => (text === '' ? STDOUT : checkOutputFile(text, named, place)),
    ),
    ...reportOptions('prove'),
  },
};

export const PROVE_OPTIONS = { ...GROUPS.subjects, ...GROUPS.output };

/** `stockcheck prove`. */
export const PROVE: Subcommand = {
  summary: 'run the suite against every seeded fault and permitted variant',
  description:
    'Runs the suite against servers with one seeded fault each, and against conformant servers that take each freedom of the specification, and prints the kill matrix.',
  options: {
    'What to judge (default: every fault and every variant alone, and a server with none):': GROUPS.subjects,
    'Output:': GROUPS.output,
  },
  examples: `
Examples:
  $ stockcheck prove --report proof
  $ stockcheck prove --fault 'ban-*' --fault 'retry-after-*'
  $ stockcheck prove --with slow-150-milliseconds
  $ stockcheck prove --by explore --explore 300 --seed 7

Exit codes: 0 every fault caught by the requirement that it breaks and no false alarm, 1 otherwise, 2 bad usage.`,
  run: async (call) => (await import('./run.ts')).runProve(call),
};
