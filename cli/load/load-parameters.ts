import type { LoadParameters, ParameterName } from '../../load/index.ts';
import type { LoadFlags } from './load-flags.ts';
import { parseChoice, parseInteger, parseNumber, parseSeconds } from '../shared/options/values.ts';

const HIGHEST_RATE = 1_000_000;
const LONGEST_SECONDS = 7 * 86_400;

/** The parameters of scenarios that the command line gives. @throws {ConfigurationError} that names the option */
export function readParameters(flags: LoadFlags): Partial<LoadParameters> {
  return withoutUndefined({
    rate: read(flags.rate, (text) => readRate('--rate', text)),
    duration: read(flags.duration, (text) => readDuration('--duration', text, 0.1)),
    connections: read(flags.connections, (text) => parseInteger('--connections', text, 1, 20_000)),
    rampUp: read(flags.rampUp, (text) => readDuration('--ramp-up', text, 0)),
    arrivals: read(flags.arrivals, (text) => parseChoice('--arrivals', text, ['constant', 'poisson'])),
    writes: read(flags.writes, (text) => readShare('--writes', text)),
    rounds: read(flags.rounds, (text) => parseInteger('--rounds', text, 1, 1_000)),
    maxRate: read(flags.maxRate, (text) => readRate('--max-rate', text)),
    seed: read(flags.seed, (text) => parseInteger('--seed', text, 0, 2 ** 32 - 1)),
  });
}

/** How each is named on the command line. */
export const OPTION_OF: Readonly<Record<ParameterName, string>> = {
  rate: '--rate',
  duration: '--duration',
  connections: '--connections',
  rampUp: '--ramp-up',
  arrivals: '--arrivals',
  writes: '--writes',
  rounds: '--rounds',
  maxRate: '--max-rate',
  seed: '--seed',
};

const PARAMETERS = [
  'rate',
  'duration',
  'connections',
  'rampUp',
  'arrivals',
  'writes',
  'rounds',
  'maxRate',
  'seed',
] as const satisfies readonly ParameterName[];

/** Names of those that are given. */
export function parameterNames(given: Partial<LoadParameters>): readonly ParameterName[] {
  return PARAMETERS.filter((name) => given[name] !== undefined);
}

function read<Value>(text: string | undefined, parse: (text: string) => Value): Value | undefined {
  return text === undefined ? undefined : parse(text);
}

/** `500` or `500/s`. */
function readRate(named: string, text: string): number {
  return parseNumber(named, text.replace(/\/s$/, ''), 0.1, HIGHEST_RATE);
}

/** `10`, `10s`, `5m` or `1h`, in seconds. */
function readDuration(named: string, text: string, minimum: number): number {
  const unit = { s: 1, m: 60, h: 3_600 }[/[smh]$/.exec(text)?.[0] ?? 's'] ?? 1;
  return unit * parseSeconds(named, text.replace(/[smh]$/, ''), minimum, LONGEST_SECONDS / unit);
}

/** `0.2` or `20%`, as a share. @throws {ConfigurationError} that names the option */
export function readShare(named: string, text: string): number {
  return text.endsWith('%')
    ? parseNumber(named, text.slice(0, -1), 0, 100) / 100
    : parseNumber(named, text, 0, 1);
}

type Given<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** An option that was not given must not stand in the way of a default. */
function withoutUndefined<Values extends object>(values: Values): Given<Values>;
function withoutUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
