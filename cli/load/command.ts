import {
  asText,
  flag,
  list,
  optional,
  textsOf,
  type Flags,
  type OptionText,
} from '../shared/options/option-rows.ts';
import {
  CONNECTION_OPTIONS,
  fieldOptions,
  HISTORY_OPTION,
  levelOption,
  requirementsOption,
  outputOptions,
  TARGET_HELP,
  TARGET_OPTIONS,
} from '../shared/options/shared-options.ts';
import {
  asRedisUrl,
  asShare,
  integerWithin,
  durationWithin,
  oneOf,
  rateWithin,
  type ValueReader,
} from '../shared/options/values.ts';
import type { Subcommand } from '../shared/options/command.ts';
import { optionName } from '../library/option-name.ts';
import {
  LOAD_PARAMETERS,
  PARAMETER_NAMES,
  type LoadParameter,
  type LoadParameters,
  type ParameterName,
} from '../../contract/load-parameters.ts';

/** How values of each kind are written on the command line. */
const SYNTAX = {
  rate: { placeholder: 'n', note: '' },
  seconds: { placeholder: 'time', note: ': 10, 10s, 5m or 1h' },
  share: { placeholder: 'share', note: ': 0.2 or 20%' },
  count: { placeholder: 'n', note: '' },
} as const;

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
};

const fleet = {
  fleet: optional('<url>', 'divide the load among the workers of a fleet (redis://HOST:PORT)', asRedisUrl),
  fleetWorkers: optional(
    '<n>',
    'workers to divide it among (default: those that are connected)',
    integerWithin(1, MOST_WORKERS),
  ),
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

const output = {
  ...outputOptions('load'),
  ...HISTORY_OPTION,
};

/** The options of `stockcheck load` but for the load parameters. */
export const LOAD_OPTIONS = {
  ...load,
  ...judging,
  ...fleet,
  ...consent,
  ...ceilings,
  ...target,
  ...output,
};

/** `stockcheck load`. */
export const LOAD: Subcommand = {
  summary: 'measure a target under load',
  description:
    'Runs load scenarios against a target and checks that the specification still holds. With --self it loads the embedded reference server.',
  arguments: { '[TARGET]': TARGET_HELP },
  options: {
    'Load:': { ...load, ...parameterRows({ ceilings: false }), ...judging },
    'Fleet:': fleet,
    'Safety:': { ...consent, ...parameterRows({ ceilings: true }), ...ceilings },
    'Target:': target,
    'Output:': output,
  },
  examples: `
Examples:
  $ stockcheck load --self --report report               the embedded reference server, to try it
  $ stockcheck load http://127.0.0.1:8080/v1 --key enterprise=KEY@600000/100000000 --scenario latency --rate 500 --duration 30s
  $ stockcheck load --scenario capacity --threshold 'p99<50ms' --threshold 'errors<0.1%'
  $ stockcheck load --scenario limit-accuracy,fairness,mixed
  $ stockcheck load --scenario throughput --threads 4    on four cores of this machine
  $ stockcheck load --scenario latency --rounds 5 --json this.json    stockcheck compare last.json this.json follows
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --max-rate 200
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --fleet redis://10.0.0.5:6379 --fleet-workers 3

Exit codes: 0 every threshold held, 1 a threshold was crossed or a MUST violated, 2 bad usage, 3 inconclusive.`,
  run: async (call) => (await import('./run.ts')).runLoadCommand(call),
};

/** Load parameters as the parser of the command line returns them. */
export type ParameterFlags = Flags<ParameterName>;

/** The options of the parameters that shape a load, or of those that are its ceilings. */
export function parameterRows({
  ceilings,
}: {
  readonly ceilings: boolean;
}): Readonly<Record<string, OptionText>> {
  return Object.fromEntries(
    PARAMETER_NAMES.flatMap((name) => {
      const parameter: LoadParameter = LOAD_PARAMETERS[name];
      if ((parameter.isCeiling ?? false) !== ceilings) {
        return [];
      }
      const { placeholder, note } =
        parameter.kind === 'choice'
          ? { placeholder: parameter.choices.join('|'), note: '' }
          : SYNTAX[parameter.kind];
      return [[name, { placeholder: `<${placeholder}>`, help: parameter.help + note }]];
    }),
  );
}

/** The parameters given on the command line. @throws {ConfigurationError} that names the option */
export function readParameters(flags: ParameterFlags): Partial<LoadParameters> {
  return Object.fromEntries(
    PARAMETER_NAMES.flatMap((name) => {
      const [text] = textsOf(flags[name]);
      return text === undefined
        ? []
        : [[name, readerOf(LOAD_PARAMETERS[name])(text, optionName(name))] as const];
    }),
  );
}

function readerOf(parameter: LoadParameter): ValueReader<number | string> {
  switch (parameter.kind) {
    case 'rate':
      return rateWithin(parameter.minimum, parameter.maximum);
    case 'seconds':
      return durationWithin(parameter.minimum, parameter.maximum);
    case 'share':
      return asShare;
    case 'count':
      return integerWithin(parameter.minimum, parameter.maximum);
    case 'choice':
      return oneOf(parameter.choices);
  }
}
