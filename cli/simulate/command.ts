import { randomInt } from 'node:crypto';
import { join } from 'node:path';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import { type PlanLimits, PLAN_LIMITS } from '../../contract/plans.ts';
import { readLikeness } from '../shared/files/report-file.ts';
import { checkOutputDirectory, checkOutputFile } from '../shared/files/option-paths.ts';
import {
  flag,
  list,
  optional,
  withDefault,
  readOptions,
  together,
  type Flags,
  type OptionRow,
  type OptionValues,
  type Surroundings,
} from '../shared/options/option-rows.ts';
import {
  durationWithin,
  integerWithin,
  LARGEST_SEED,
  asSeed,
  asShare,
  oneOf,
  rateWithin,
} from '../shared/options/values.ts';
import { readClientPolicy, sharesOf } from './client-policies.ts';
import type { Subcommand, CommandCall } from '../shared/options/command.ts';
import type { Storm, StormFollower } from '../../simulation/index.ts';
import { forOneReport } from '../shared/options/shared-options.ts';
import { readVariants } from '../library/catalogue.ts';
import { planStorm, playSimulation, STORM_RANGES, USUAL_STORM } from './storm.ts';
import type { SimulationResult } from '../../contract/simulation-result.ts';
import { renderPage, renderTerminal, stormDocument, writeReportText } from '../../reports/index.ts';
import { runWithProgress } from '../shared/interruption.ts';
import { openProgress, type Progress } from '../shared/output/progress.ts';
import { textOutput } from '../shared/output/text-output.ts';
import { writeJsonValue } from '../shared/output/written-files.ts';

type Usual = keyof typeof USUAL_STORM;

function count(name: Usual, help: string): OptionRow<number> {
  const [least, most] = STORM_RANGES[name];
  return withDefault('<n>', help, `${USUAL_STORM[name]}`, integerWithin(least, most));
}

function time(name: Usual, help: string): OptionRow<number> {
  const [least, most] = STORM_RANGES[name];
  return withDefault('<time>', help, `${USUAL_STORM[name]}s`, durationWithin(least, most));
}

const GROUPS = {
  'Clients:': {
    clients: count('clients', 'clients, each with a key of its own'),
    client: list(
      '<policy>',
      'what a client does when it is refused: exact, jitter:50%, jitter:5s, exponential, exponential:0.5s, ignores, ignores:1s or gives-up; with @30% for a share of the clients (default: exact)',
      readClientPolicy,
    ),
    requests: count('requests', 'accepted requests that each client wants, one after the other'),
    arrivals: time('arrivals', 'time over which the clients begin: 10, 10s, 5m or 1h'),
    pause: time('pause', 'from an accepted request to the next of the same client'),
    timeout: time('timeout', 'longest wait of a client for an answer'),
  },
  'Limits:': {
    plan: withDefault(
      '<plan>',
      'plan of the keys: free, pro or business',
      'free',
      oneOf(['free', 'pro', 'business']),
    ),
    limit: optional(
      '<perMinute/perDay>',
      'limits of the keys, such as 100/5000, in place of those of a plan',
      parseLimits,
    ),
    variant: together(
      '<names>',
      'permitted variants of the server (stockcheck prove --list), or several with commas',
      (texts, named) => readVariants(named, texts),
    ),
    like: optional(
      '<report>',
      'limits that behave as those of the service that this report of verify judged (JSON, or its folder)',
      readLikeness,
    ),
    phase: time('phase', 'how far into a minute the storm begins, for windows at whole minutes'),
  },
  'Service:': {
    capacity: optional(
      '<rate>',
      'accepted requests that the service answers in a second (default: 2000)',
      rateWithin(...STORM_RANGES.capacity),
    ),
    serviceTime: optional(
      '<time>',
      'what one takes without a queue, in seconds; with the capacity it says how many are worked on at once (default: 0.01)',
      durationWithin(...STORM_RANGES.serviceTime),
    ),
    refusalCost: optional(
      '<share>',
      'what a refusal costs, as a share of an accepted request: 0.5 or 50% (default: 50%)',
      asShare,
    ),
    queue: optional(
      '<n>',
      'requests that may wait; more are answered 503 at once (default: any number)',
      integerWithin(...STORM_RANGES.queue),
    ),
  },
  'Run:': {
    duration: time('duration', 'virtual time that is looked at'),
    longestWait: time('longestWait', 'wait in the queue up to which the service keeps within its capacity'),
    seed: optional(
      '<n>',
      'of all that is random; the same seed gives the same storm (default: another each time)',
      asSeed,
    ),
  },
};

const OUTPUT = {
  json: optional('<file>', 'write the result as JSON; - for stdout', checkOutputFile),
  report: optional(
    '<dir>',
    'write the result into this folder as a page with plots, and as JSON',
    checkOutputDirectory,
  ),
  quiet: flag('no progress on stderr'),
};

const SIMULATE_OPTIONS = {
  ...GROUPS['Clients:'],
  ...GROUPS['Limits:'],
  ...GROUPS['Service:'],
  ...GROUPS['Run:'],
  ...OUTPUT,
};

/** `stockcheck simulate`. */
export const SIMULATE: Subcommand = {
  summary: 'play a crowd of clients against limits and a capacity',
  description:
    'Plays a population of clients against the limits of the reference server, or of a service like yours, and a capacity, in virtual time. Nothing is sent.',
  options: { ...GROUPS, 'Output:': OUTPUT },
  examples: `
Examples:
  $ stockcheck simulate
  $ stockcheck simulate --clients 5000 --client exact@70% --client jitter:30s@20% --client ignores@10%
  $ stockcheck simulate --like report --capacity 1300 --client jitter:50%
  $ stockcheck simulate --variant aligned-minute,retry-after-as-date --report storm
  $ stockcheck simulate --limit 3/1000 --requests 7 --clients 1000000 --arrivals 50m --capacity 3000 --seed 1

Exit codes: 0 the storm was played, 2 bad usage.`,
  run: runSimulate,
};

/**
 * Limits of a key, written `perMinute/perDay`.
 * @throws {ConfigurationError} that names the option
 */
function parseLimits(text: string, named: string): PlanLimits {
  const { minute, day } = /^(?<minute>[1-9]\d{0,8})\/(?<day>[1-9]\d{0,8})$/.exec(text)?.groups ?? {};
  if (minute === undefined || day === undefined) {
    throw new ConfigurationError(
      `${named} must be requests a minute and a day, such as 100/5000, not ${JSON.stringify(text)}`,
    );
  }
  return { perMinute: Number(minute), perDay: Number(day) };
}

/** The options of `simulate` as the parser of the command line returns them. */
export type SimulateFlags = Flags<keyof typeof SIMULATE_OPTIONS>;

/** @throws {ConfigurationError} that names the option */
export function readSimulateOptions(flags: SimulateFlags, surroundings: Surroundings) {
  const given = forOneReport(readOptions(SIMULATE_OPTIONS, flags, surroundings));
  if (given.like !== null && given.variant.length > 0) {
    throw new ConfigurationError(
      '--like and --variant exclude each other: the report says how the service behaves',
    );
  }
  const planned = planStorm({
    ...given,
    seed: given.seed ?? randomInt(LARGEST_SEED),
    limits: limitsOf(given, flags),
    variants: given.variant,
    shares: sharesOf(given.client, '--client'),
  });
  return { ...given, ...planned };
}

function limitsOf(
  { plan, limit }: Pick<OptionValues<typeof SIMULATE_OPTIONS>, 'plan' | 'limit'>,
  flags: SimulateFlags,
): PlanLimits {
  if (limit !== null && flags.plan !== undefined) {
    throw new ConfigurationError('--limit and --plan exclude each other: both say what a key may do');
  }
  return limit ?? PLAN_LIMITS[plan];
}

async function runSimulate({ flags, surroundings }: CommandCall): Promise<number> {
  const options = readSimulateOptions(flags, surroundings);
  const progress = openProgress({ quiet: options.quiet, plainLineEverySeconds: 2 });
  return runWithProgress(progress, 'Interrupted: nothing is written.', async (signal) => {
    const result = await playSimulation(options, follower(options.storm, progress, signal));
    progress.stop();
    await write(result, options);
    return 0;
  });
}

function follower(
  { clients, durationSeconds }: Storm,
  progress: Progress,
  signal: AbortSignal,
): StormFollower {
  return {
    signal,
    onProgress: (seconds, served) =>
      progress.show(
        'playing',
        `: ${seconds.toFixed(0)} s of at most ${durationSeconds} s`,
        `, ${served} of ${clients} clients served`,
      ),
  };
}

async function write(
  result: SimulationResult,
  options: ReturnType<typeof readSimulateOptions>,
): Promise<void> {
  const { json, report } = options;
  const output = textOutput(options);
  const document = stormDocument(result);
  output.write(renderTerminal(document, output.color));
  if (json !== null) {
    await writeJsonValue(json, result);
  }
  if (report !== null) {
    const page = join(report, 'simulation.html');
    await writeReportText(join(report, 'simulation.json'), `${JSON.stringify(result, null, 2)}\n`);
    await writeReportText(page, await renderPage(document));
    output.write(`\nReport: ${page}\n`);
  }
}
