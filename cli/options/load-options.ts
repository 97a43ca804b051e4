import { closestName } from '../../suites/closest-name.ts';
import { ConfigurationError } from '../../suites/configuration-error.ts';
import {
  isLoopback,
  type ConfiguredScenario,
  type Profile,
  type TargetConfig,
} from '../../suites/target-config.ts';
import type { LoadOrder } from '../../load/run-load.ts';
import {
  DEFAULT_PARAMETERS,
  type LoadParameters,
  type LoadScenario,
  type ParameterName,
} from '../../load/scenario.ts';
import { LOAD_SCENARIOS } from '../../load/scenarios/index.ts';
import { readThreshold } from '../../load/threshold-expression.ts';
import { wantsColor } from '../color.ts';
import { loadConfiguration } from '../configuration.ts';
import { matching } from './entries.ts';
import { checkInputFile, checkOutputDirectory, checkOutputFile, readCertificates } from './files.ts';
import { parseHeader } from './headers.ts';
import type { TargetFlags } from './settings.ts';
import { parseRedisUrl } from './redis-url.ts';
import { parseChoice, parseInteger, parseNumber, parseSeconds } from './values.ts';
import type { Surroundings } from './verify-options.ts';

/** What `stockcheck load` was asked for, validated. */
export interface LoadOptions {
  /** `null`: nothing describes a target, so the embedded reference server is loaded. */
  readonly config: TargetConfig | null;
  readonly profile: Profile | null;
  readonly orders: readonly LoadOrder[];
  readonly json: string | null;
  readonly report: string | null;
  readonly openMetrics: string | null;
  readonly baseline: string | null;
  readonly tolerance: number;
  readonly level: 'must' | 'should';
  readonly quiet: boolean;
  readonly color: boolean;
  readonly dryRun: boolean;
  readonly list: boolean;
  /** Port of the page that follows the run, 0 for any that is free; `null` for none. */
  readonly livePort: number | null;
  readonly tls: { readonly insecure: boolean; readonly ca: string | null };
  readonly timeoutSeconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly warnings: readonly string[];
  /** Workers that carry the load, or `null` where this process does. */
  readonly fleet: FleetChoice | null;
}

interface FleetChoice {
  readonly url: string;
  /** `null`: those that are connected. */
  readonly workers: number | null;
}

/** The options of `load` as the parser of the command line returns them. */
export interface LoadFlags extends TargetFlags {
  readonly scenario?: readonly string[];
  readonly rate?: string;
  readonly duration?: string;
  readonly connections?: string;
  readonly rampUp?: string;
  readonly arrivals?: string;
  readonly writes?: string;
  readonly rounds?: string;
  readonly maxRate?: string;
  readonly maxRequests?: string;
  readonly seed?: string;
  readonly threshold?: readonly string[];
  readonly iMayLoad?: string;
  readonly baseline?: string;
  readonly tolerance: string;
  readonly openmetrics?: string;
  readonly json?: string;
  readonly report?: string;
  readonly level: string;
  readonly list?: boolean;
  readonly live?: string | true;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly insecure?: boolean;
  readonly ca?: string;
  readonly timeout: string;
  readonly header?: readonly string[];
  readonly fleet?: string;
  readonly fleetWorkers?: string;
}

const USUAL_SCENARIOS = ['latency', 'throughput', 'mixed', 'limit-accuracy', 'fairness'];
const HIGHEST_RATE = 1_000_000;
// Somebody else's network lies in between.
const MAX_RATE_ELSEWHERE = 1_000;
const LONGEST_SECONDS = 7 * 86_400;

/** @throws {ConfigurationError} that names the option, variable or field */
export function readLoadOptions(
  target: string | undefined,
  flags: LoadFlags,
  { environment, directory, stdout }: Surroundings,
): LoadOptions {
  const given = {
    json: flags.json === undefined ? null : checkOutputFile('--json', flags.json, directory),
    report: flags.report === undefined ? null : checkOutputDirectory('--report', flags.report, directory),
    openMetrics:
      flags.openmetrics === undefined ? null : checkOutputFile('--openmetrics', flags.openmetrics, directory),
    baseline: flags.baseline === undefined ? null : checkInputFile('--baseline', flags.baseline, directory),
    tolerance: readShare('--tolerance', flags.tolerance),
    level: parseChoice('--level', flags.level, ['must', 'should']),
    timeoutSeconds: parseSeconds('--timeout', flags.timeout, 0.1, 600),
    headers: (flags.header ?? []).map(parseHeader),
    livePort: readLivePort(flags.live),
    tls: {
      insecure: flags.insecure ?? false,
      ca: flags.ca === undefined ? null : readCertificates('--ca', flags.ca, directory),
    },
  };
  const parameters = readParameters(flags);
  const fleet = readFleet(flags);
  const { config, profile, warnings } = loadConfiguration(target, flags, environment, directory);
  requireConsent(config, flags.iMayLoad);
  const orders = selectScenarios(config, flags, parameters);
  checkFleet(fleet, config, orders, flags.list === true);
  checkCeiling(orders, flags.maxRequests);
  return {
    ...given,
    config,
    profile,
    orders,
    quiet: flags.quiet ?? false,
    color: wantsColor(stdout, environment),
    dryRun: flags.dryRun ?? false,
    list: flags.list ?? false,
    warnings,
    fleet,
  };
}

const MOST_WORKERS = 1_000;

function readFleet({ fleet, fleetWorkers }: LoadFlags): FleetChoice | null {
  if (fleet === undefined) {
    if (fleetWorkers !== undefined) {
      throw new ConfigurationError('--fleet-workers has no meaning without --fleet');
    }
    return null;
  }
  const workers = read(fleetWorkers, (text) => parseInteger('--fleet-workers', text, 1, MOST_WORKERS));
  return { url: parseRedisUrl('--fleet', fleet), workers: workers ?? null };
}

/** What is divided among workers has to be nothing but load, on a target that they reach. */
function checkFleet(
  fleet: FleetChoice | null,
  config: TargetConfig | null,
  orders: readonly LoadOrder[],
  isList: boolean,
): void {
  if (fleet === null || isList) {
    return;
  }
  if (config === null) {
    throw new ConfigurationError('--fleet takes a TARGET that its workers reach');
  }
  const whole = orders.filter(({ scenario }) => scenario.divisible !== true);
  if (whole.length > 0) {
    const ids = whole.map(({ scenario }) => scenario.id).join(', ');
    throw new ConfigurationError(
      `--fleet divides nothing but load, and ${ids} ${whole.length === 1 ? 'is' : 'are'} more than that; run ${whole.length === 1 ? 'it' : 'them'} without --fleet`,
    );
  }
  const workers = fleet.workers ?? 1;
  const scarce = orders.find(({ parameters }) => parameters.connections < workers);
  if (scarce !== undefined) {
    throw new ConfigurationError(
      `--connections ${scarce.parameters.connections} of ${scarce.scenario.id} can't be divided among ${workers} workers`,
    );
  }
}

/** Where none is named; a fleet gets those that can be divided. */
function usualScenarios({ fleet }: LoadFlags): readonly string[] {
  return USUAL_SCENARIOS.filter(
    (id) => fleet === undefined || LOAD_SCENARIOS.find((scenario) => scenario.id === id)?.divisible === true,
  );
}

function readParameters(flags: LoadFlags): Partial<LoadParameters> {
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

function readLivePort(live: string | true | undefined): number | null {
  return live === undefined ? null : live === true ? 0 : parseInteger('--live', live, 0, 65_535);
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

/** `0.2` or `20%`, as a share. */
function readShare(named: string, text: string): number {
  return text.endsWith('%')
    ? parseNumber(named, text.slice(0, -1), 0, 100) / 100
    : parseNumber(named, text, 0, 1);
}

/** Nobody loads somebody else's machine by a slip. */
function requireConsent(config: TargetConfig | null, consent: string | undefined): void {
  if (config === null || isLoopback(config.target)) {
    return;
  }
  const { hostname, host } = new URL(config.target);
  if (consent === undefined) {
    throw new ConfigurationError(
      `${hostname} is not this machine: load may harm it and those who use it. Say --i-may-load ${hostname} if you may load it.`,
    );
  }
  if (consent !== hostname && consent !== host) {
    throw new ConfigurationError(
      `--i-may-load ${consent} is not the host of the target, which is ${hostname}`,
    );
  }
}

function selectScenarios(
  config: TargetConfig | null,
  flags: LoadFlags,
  given: Partial<LoadParameters>,
): readonly LoadOrder[] {
  const configured = config?.load.scenarios ?? [];
  checkConfigured(configured);
  const ceiling = config === null || isLoopback(config.target) ? {} : { maxRate: MAX_RATE_ELSEWHERE };
  const chosen: readonly ConfiguredScenario[] =
    flags.scenario !== undefined
      ? matching('--scenario', flags.scenario, LOAD_SCENARIOS, 'stockcheck load --list').map(
          ({ id }) => configured.find(({ scenario }) => scenario === id) ?? { scenario: id },
        )
      : configured.length > 0
        ? configured
        : usualScenarios(flags).map((scenario) => ({ scenario }));
  const orders = chosen.map((choice): LoadOrder => {
    const { scenario: id, thresholds, ...parameters } = choice;
    const place = `load.scenarios[${configured.indexOf(choice)}]`;
    const scenario = scenarioNamed(id, place);
    checkMeaning(scenario, parameters, place);
    const whole: LoadParameters = {
      ...DEFAULT_PARAMETERS,
      ...scenario.defaults,
      ...ceiling,
      ...parameters,
      ...onlyUsed(given, scenario),
    };
    const texts = flags.threshold ?? thresholds ?? scenario.thresholds;
    const source = flags.threshold === undefined ? `${place}.thresholds` : '--threshold';
    return { scenario, parameters: whole, thresholds: texts.map((text) => readThreshold(text, source)) };
  });
  checkUse(orders, given);
  checkRates(orders);
  return orders;
}

/** A report holds each scenario once. */
function checkConfigured(configured: readonly ConfiguredScenario[]): void {
  for (const [index, { scenario }] of configured.entries()) {
    const first = configured.findIndex((other) => other.scenario === scenario);
    if (first !== index) {
      throw new ConfigurationError(
        `load.scenarios[${index}].scenario: ${scenario} stands in load.scenarios[${first}] already`,
      );
    }
  }
}

function checkMeaning(scenario: LoadScenario, parameters: Partial<LoadParameters>, place: string): void {
  const idle = parameterNames(parameters).find((name) => !hasMeaning(scenario, name));
  if (idle !== undefined) {
    throw new ConfigurationError(`${place}.${idle} has no meaning for ${scenario.id}`);
  }
}

/** The ceiling of the rate holds for all. */
function hasMeaning({ uses }: LoadScenario, name: ParameterName): boolean {
  return name === 'maxRate' || uses.includes(name);
}

function scenarioNamed(id: string, place: string): LoadScenario {
  const found = LOAD_SCENARIOS.find((scenario) => scenario.id === id);
  if (found === undefined) {
    const closest = closestName(
      id,
      LOAD_SCENARIOS.map((scenario) => scenario.id),
    );
    const hint = closest === undefined ? '' : ` Did you mean ${closest}?`;
    throw new ConfigurationError(`${place}.scenario: there is no scenario ${JSON.stringify(id)}.${hint}`);
  }
  return found;
}

const OPTION_OF: Readonly<Record<ParameterName, string>> = {
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

/** A parameter that no scenario uses was given by mistake. */
function checkUse(orders: readonly LoadOrder[], given: Partial<LoadParameters>): void {
  for (const name of parameterNames(given)) {
    if (!orders.some(({ scenario }) => hasMeaning(scenario, name))) {
      const ids = orders.map(({ scenario }) => scenario.id).join(', ');
      throw new ConfigurationError(`${OPTION_OF[name]} has no meaning for ${ids}`);
    }
  }
}

function checkRates(orders: readonly LoadOrder[]): void {
  for (const { scenario, parameters } of orders) {
    const { rate, maxRate } = parameters;
    const peak = scenario.peakRate?.(parameters) ?? rate;
    if (scenario.uses.includes('rate') && peak > maxRate) {
      const reaching = peak === rate ? '' : `, which reaches ${peak}/s,`;
      throw new ConfigurationError(
        `--rate ${rate} of ${scenario.id}${reaching} is above the ceiling of ${maxRate}/s; --max-rate raises it`,
      );
    }
  }
}

function checkCeiling(orders: readonly LoadOrder[], text: string | undefined): void {
  if (text === undefined) {
    return;
  }
  const most = parseInteger('--max-requests', text, 1, Number.MAX_SAFE_INTEGER);
  for (const { scenario, parameters } of orders) {
    const announced = scenario.announce(parameters);
    if (announced > most) {
      throw new ConfigurationError(
        `--max-requests ${most}: ${scenario.id} may send ${announced}; lower --rate, --duration or --max-rate`,
      );
    }
  }
}

function onlyUsed(given: Partial<LoadParameters>, scenario: LoadScenario): Partial<LoadParameters> {
  return Object.fromEntries(
    parameterNames(given)
      .filter((name) => hasMeaning(scenario, name))
      .map((name) => [name, given[name]]),
  );
}

function parameterNames(given: Partial<LoadParameters>): readonly ParameterName[] {
  return PARAMETERS.filter((name) => given[name] !== undefined);
}

type Given<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** An option that was not given must not stand in the way of a default. */
function withoutUndefined<Values extends object>(values: Values): Given<Values>;
function withoutUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
