import type { JsonObject } from './json/index.ts';

/** A number within bounds, in its unit: requests a second, seconds, a share from 0 to 1, or a count. */
interface NumberParameter {
  readonly kind: 'rate' | 'seconds' | 'share' | 'count';
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
  readonly help: string;
  /** Whether it protects the target, rather than shaping the load. */
  readonly isCeiling?: true;
}

interface ChoiceParameter {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  readonly default: string;
  readonly help: string;
  readonly isCeiling?: true;
}

export type LoadParameter = NumberParameter | ChoiceParameter;

const HIGHEST_RATE = 1_000_000;
const WEEK_SECONDS = 7 * 86_400;
/** The default of `maxRate` if other people's networks lie between this machine and the target. */
export const MAX_RATE_ELSEWHERE = 1_000;

/**
 * What a load scenario can be run with. The type of each, its command-line option, the option's help and reader,
 * its field in the configuration, and how reports show it all come from its row.
 */
export const LOAD_PARAMETERS = {
  rate: {
    kind: 'rate',
    minimum: 0.1,
    maximum: HIGHEST_RATE,
    default: 200,
    help: 'requests per second; for capacity, the first rate to try',
  },
  duration: {
    kind: 'seconds',
    minimum: 0.1,
    maximum: WEEK_SECONDS,
    default: 10,
    help: 'how long to measure',
  },
  rampUp: {
    kind: 'seconds',
    minimum: 0,
    maximum: WEEK_SECONDS,
    default: 1,
    help: 'how long the rate rises before the measurement',
  },
  connections: {
    kind: 'count',
    minimum: 1,
    maximum: 20_000,
    default: 64,
    help: 'most connections at once',
  },
  threads: {
    kind: 'count',
    minimum: 1,
    maximum: 256,
    default: 1,
    help: 'threads of this process that share the load',
  },
  arrivals: {
    kind: 'choice',
    choices: ['constant', 'poisson'],
    default: 'constant',
    help: 'evenly spaced, or at random like those of many independent users',
  },
  writes: {
    kind: 'share',
    minimum: 0,
    maximum: 1,
    default: 0,
    help: 'share of requests that are updates',
  },
  rounds: {
    kind: 'count',
    minimum: 1,
    maximum: 1_000,
    default: 1,
    help: 'how often each measurement is repeated',
  },
  seed: {
    kind: 'count',
    minimum: 0,
    maximum: 2 ** 32 - 1,
    default: 1,
    help: 'seed of random arrivals',
  },
  maxRate: {
    kind: 'rate',
    minimum: 0.1,
    maximum: HIGHEST_RATE,
    default: 20_000,
    help: `highest rate ever sent (default: 20000, of throughput 100000, or ${MAX_RATE_ELSEWHERE} if the target is not on this machine)`,
    isCeiling: true,
  },
} as const satisfies Readonly<Record<string, LoadParameter>>;

type Rows = typeof LOAD_PARAMETERS;
type ValueOf<Row> = Row extends { readonly choices: readonly (infer Choice)[] } ? Choice : number;

/** A value for each parameter. A scenario ignores those that it does not name in `uses`. */
export type LoadParameters = { readonly [Name in keyof Rows]: ValueOf<Rows[Name]> };
export type ParameterName = keyof Rows;

/** All parameters, in the order of their options. */
export const PARAMETER_NAMES: readonly ParameterName[] = Object.keys(LOAD_PARAMETERS).filter(isParameterName);

export const DEFAULT_PARAMETERS: LoadParameters = defaultsOf(LOAD_PARAMETERS);

function defaultsOf<Some extends object>(rows: Some): { readonly [Name in keyof Some]: ValueOf<Some[Name]> };
function defaultsOf(rows: Readonly<Record<string, LoadParameter>>): object {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row.default]));
}

function isParameterName(name: string): name is ParameterName {
  return Object.hasOwn(LOAD_PARAMETERS, name);
}

/** The value with its unit, such as `200/s`. */
export function describeParameter(name: ParameterName, parameters: LoadParameters): string {
  const value = parameters[name];
  switch (LOAD_PARAMETERS[name].kind) {
    case 'rate':
      return `${value}/s`;
    case 'seconds':
      return `${value} s`;
    case 'share':
      return `${Math.round(100 * Number(value))} %`;
    default:
      return `${value}`;
  }
}

/** JSON Schemas of the parameters by name; each title reads on from "must be". */
export function parameterSchemas(): JsonObject {
  return Object.fromEntries(PARAMETER_NAMES.map((name) => [name, schemaOf(LOAD_PARAMETERS[name])]));
}

const UNITS = {
  rate: 'a number of requests per second',
  seconds: 'a number of seconds',
  share: 'a share',
  count: 'a whole number',
} as const;

function schemaOf(parameter: LoadParameter): JsonObject {
  const description = parameter.help;
  if (parameter.kind === 'choice') {
    return { title: parameter.choices.join(' or '), description, enum: parameter.choices };
  }
  const { kind, minimum, maximum } = parameter;
  const title = `${UNITS[kind]} from ${minimum} to ${maximum}`;
  return { title, description, type: kind === 'count' ? 'integer' : 'number', minimum, maximum };
}
