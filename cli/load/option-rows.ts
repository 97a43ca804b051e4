import { checkOutputFile } from '../shared/files/option-paths.ts';
import { asText, flag, list, optional, withDefault } from '../shared/options/option-rows.ts';
import { parseRedisUrl } from '../shared/options/redis-url.ts';
import {
  baselineOption,
  CONNECTION_OPTIONS,
  fieldOptions,
  HISTORY_OPTION,
  levelOption,
  requirementsOption,
  outputOptions,
  TARGET_OPTIONS,
} from '../shared/options/shared-options.ts';
import { integerWithin, parseShare } from '../shared/options/values.ts';
import { parameterRows } from './load-parameters.ts';

const MOST_WORKERS = 1_000;

const load = {
  scenario: list('<names>', 'scenarios to run (glob), or several with commas', asText),
  list: { help: 'print the scenarios and stop' },
};

const judging = {
  threshold: list(
    '<limit>',
    "limit such as p99<100ms, instead of the scenarios' own; theirs on errors, refused and rate stay without one of that name",
    asText,
  ),
  baseline: baselineOption('compare with an earlier report (JSON) of stockcheck load'),
  tolerance: withDefault('<share>', 'worsening that --baseline tolerates', '5%', (text, named) =>
    parseShare(named, text),
  ),
};

const fleet = {
  fleet: optional(
    '<url>',
    'divide the load among the workers of a fleet (redis://HOST:PORT)',
    (text, named) => parseRedisUrl(named, text),
  ),
  fleetWorkers: optional(
    '<n>',
    'workers to divide it among (default: those that are connected)',
    integerWithin(1, MOST_WORKERS),
  ),
};

const tracing = {
  traceparent: flag('begin a trace with each request, and report those of slow and failed ones'),
};

const consent = { iMayLoad: optional('<host>', 'consent to load a host that is not this machine', asText) };

const ceilings = {
  maxRequests: optional(
    '<n>',
    'most requests that a scenario may announce',
    integerWithin(1, Number.MAX_SAFE_INTEGER),
  ),
  dryRun: flag('print the rates and the request budget, and stop'),
};

const target = {
  ...TARGET_OPTIONS,
  ...fieldOptions('key', 'control', 'existingPet', 'profile'),
  level: levelOption('what decides the verdict beside the thresholds'),
  requirements: requirementsOption(),
  ...CONNECTION_OPTIONS,
};

const { json, format, events, summary, report, quiet } = outputOptions('load');
const output = {
  json,
  format,
  events,
  summary,
  report,
  ...HISTORY_OPTION,
  openmetrics: optional('<file>', 'write the figures as OpenMetrics text; - for stdout', checkOutputFile),
  quiet,
};

/** The groups of options of `stockcheck load` but for its output, in the order of its help. */
export const LOAD_GROUPS = {
  'Load:': { ...load, ...parameterRows({ ceilings: false }), ...tracing, ...judging },
  'Fleet:': fleet,
  'Safety:': { ...consent, ...parameterRows({ ceilings: true }), ...ceilings },
  'Target:': target,
};

export const LOAD_OUTPUT = output;

/** The options of `stockcheck load` but for the load parameters. */
export const LOAD_OPTIONS = {
  ...load,
  ...tracing,
  ...judging,
  ...fleet,
  ...consent,
  ...ceilings,
  ...target,
  ...output,
};
