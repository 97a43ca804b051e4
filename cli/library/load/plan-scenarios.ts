import { optionName } from '../option-name.ts';
import {
  DEFAULT_PARAMETERS,
  MAX_RATE_ELSEWHERE,
  PARAMETER_NAMES,
  type LoadParameters,
  type ParameterName,
} from '../../../contract/load-parameters.ts';
import {
  type PlannedScenario,
  type LoadScenario,
  LOAD_SCENARIOS,
  readThreshold,
  type ThresholdRule,
} from '../../../load/index.ts';
import { didYouMean } from '../../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { isLoopback, type ConfiguredScenario, type TargetConfig } from '../../../suites/target/index.ts';
import type { Profile } from '../../../contract/verdict.ts';
import { matching } from '../entries.ts';

/** What the command line says of scenarios; nothing if a list is empty. */
interface ScenarioChoice {
  readonly scenario: readonly string[];
  readonly threshold: readonly string[];
  /** Whether the load is to be divided among workers. */
  readonly isDivided: boolean;
  /** The one of the run; `null` if it is the default of the embedded server, which lets it write. */
  readonly profile: Profile | null;
}

/**
 * The scenarios that are to run, as the command line, the configuration and their own defaults say, in this order.
 * @param onCommandLine parameters
 * @throws {ConfigurationError} that names the option or field
 */
export function planScenarios(
  config: TargetConfig | null,
  { scenario: patterns, threshold, isDivided, profile }: ScenarioChoice,
  onCommandLine: Partial<LoadParameters>,
): readonly PlannedScenario[] {
  const configured = config?.load.scenarios ?? [];
  checkConfigured(configured);
  const ceiling = config === null || isLoopback(config.target) ? {} : { maxRate: MAX_RATE_ELSEWHERE };
  const chosen: readonly ConfiguredScenario[] =
    patterns.length > 0
      ? matching('--scenario', patterns, LOAD_SCENARIOS, 'stockcheck load --list').map(
          ({ id }) => configured.find(({ scenario }) => scenario === id) ?? { scenario: id },
        )
      : configured.length > 0
        ? configured
        : usualScenarios(isDivided).map((scenario) => ({ scenario }));
  const named = chosen.map((choice) => {
    const { scenario: id, thresholds, ...parameters } = choice;
    const place = `load.scenarios[${configured.indexOf(choice)}]`;
    return { scenario: scenarioNamed(id, place), thresholds, parameters, place };
  });
  const all = named.map(({ scenario }) => scenario);
  const scenarios = named.map(({ scenario, thresholds, parameters, place }): PlannedScenario => {
    refuseIdle([scenario], parameters, (name) => `${place}.${name}`);
    // One that writes in any case is skipped, with that reason.
    checkWrites(scenario.writes === true ? null : profile, parameters, `${place}.writes`);
    const whole: LoadParameters = {
      ...DEFAULT_PARAMETERS,
      ...scenario.defaults,
      ...ceiling,
      ...parameters,
      ...onlyUsed(onCommandLine, scenario),
    };
    const given = threshold.length > 0 ? threshold : (thresholds ?? []);
    const source = threshold.length > 0 ? '--threshold' : `${place}.thresholds`;
    const rules = given.map((text) => readThreshold(text, source));
    checkMeasured(rules, threshold.length > 0 ? all : [scenario], source);
    const measured = rules.filter((rule) => measures(scenario, rule));
    return { scenario, parameters: whole, thresholds: withOwnThresholds(measured, scenario) };
  });
  checkWrites(profile, onCommandLine, '--writes');
  refuseIdle(all, onCommandLine, optionName);
  checkRates(scenarios);
  checkThreads(scenarios);
  return scenarios;
}

/** Those given, and of the scenario's own the ones that they leave: fast answers must not hide that many fail. */
function withOwnThresholds(
  given: readonly ThresholdRule[],
  scenario: LoadScenario,
): readonly ThresholdRule[] {
  const own = scenario.thresholds.map((text) => readThreshold(text, scenario.id));
  const isLeft = ({ measure }: ThresholdRule): boolean =>
    measure.dimension !== 'time' && !given.some(({ measure: { name } }) => name === measure.name);
  return given.length === 0 ? own : [...given, ...own.filter(isLeft)];
}

/** A closed model has no schedule to fall behind, and one scenario alone searches for the capacity. */
function measures({ id, uses }: LoadScenario, { measure: { name } }: ThresholdRule): boolean {
  return name === 'capacity' ? id === 'capacity' : name !== 'rate' || uses.includes('rate');
}

function checkMeasured(
  rules: readonly ThresholdRule[],
  chosen: readonly LoadScenario[],
  source: string,
): void {
  for (const rule of rules) {
    if (!chosen.some((scenario) => measures(scenario, rule))) {
      const able = LOAD_SCENARIOS.filter((scenario) => measures(scenario, rule));
      throw new ConfigurationError(
        `${source} ${rule.expression}: ${rule.measure.name} is not measured by ${idsOf(chosen)}, but by ${idsOf(able)}`,
      );
    }
  }
}

function checkWrites(profile: Profile | null, { writes = 0 }: Partial<LoadParameters>, source: string): void {
  if (profile === 'safe' && writes > 0) {
    throw new ConfigurationError(
      `${source} asks for updates, and profile safe sends none: leave it out, or take --profile standard`,
    );
  }
}

function idsOf(scenarios: readonly LoadScenario[]): string {
  return scenarios.map(({ id }) => id).join(', ');
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

/** A parameter that no scenario uses was given by mistake. */
function refuseIdle(
  scenarios: readonly LoadScenario[],
  given: Partial<LoadParameters>,
  named: (name: ParameterName) => string,
): void {
  const idle = parameterNames(given).find((name) => !scenarios.some((one) => hasMeaning(one, name)));
  if (idle !== undefined) {
    throw new ConfigurationError(`${named(idle)} has no meaning for ${idsOf(scenarios)}`);
  }
}

/** The ceiling of the rate holds for all. */
function hasMeaning({ uses }: LoadScenario, name: ParameterName): boolean {
  return name === 'maxRate' || uses.includes(name);
}

function scenarioNamed(id: string, place: string): LoadScenario {
  const found = LOAD_SCENARIOS.find((scenario) => scenario.id === id);
  if (found === undefined) {
    const known = LOAD_SCENARIOS.map((scenario) => scenario.id);
    throw new ConfigurationError(
      `${place}.scenario: there is no scenario ${JSON.stringify(id)}.${didYouMean(id, known)} \`stockcheck load --list\` shows them.`,
    );
  }
  return found;
}

/** What runs if no scenario is named; with a fleet, only what can be divided. */
function usualScenarios(isDivided: boolean): readonly string[] {
  return LOAD_SCENARIOS.filter(
    ({ isUsual, divisible }) => isUsual === true && (!isDivided || divisible === true),
  ).map(({ id }) => id);
}

function checkRates(scenarios: readonly PlannedScenario[]): void {
  for (const { scenario, parameters } of scenarios) {
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

/** Each thread has a connection of its own, and something to send each second. */
function checkThreads(scenarios: readonly PlannedScenario[]): void {
  for (const { scenario, parameters } of scenarios) {
    const { threads, connections, rate, maxRate } = parameters;
    const [option, most] = scenario.uses.includes('rate')
      ? ['--rate', scenario.peakRate?.(parameters) ?? rate]
      : ['--max-rate', maxRate];
    const asked = `--threads ${threads} of ${scenario.id}`;
    if (threads > connections) {
      throw new ConfigurationError(
        `${asked}: ${connections} connections cannot be divided among ${threads} threads; raise --connections, or take fewer threads`,
      );
    }
    if (threads > 1 && threads > most) {
      throw new ConfigurationError(
        `${asked}: ${most}/s is less than one request a second for each thread; raise ${option}, or take fewer threads`,
      );
    }
  }
}

/** Nothing is announced beyond `--max-requests`. */
export function checkCeiling(scenarios: readonly PlannedScenario[], most: number | null): void {
  if (most === null) {
    return;
  }
  for (const { scenario, parameters } of scenarios) {
    const announced = scenario.announce(parameters);
    if (announced > most) {
      throw new ConfigurationError(
        `--max-requests ${most}: ${scenario.id} may send ${announced}; lower --rate, --duration or --max-rate`,
      );
    }
  }
}

/** Names of those that are given. */
function parameterNames(given: Partial<LoadParameters>): readonly ParameterName[] {
  return PARAMETER_NAMES.filter((name) => given[name] !== undefined);
}

function onlyUsed(given: Partial<LoadParameters>, scenario: LoadScenario): Partial<LoadParameters> {
  return Object.fromEntries(
    parameterNames(given)
      .filter((name) => hasMeaning(scenario, name))
      .map((name) => [name, given[name]]),
  );
}

/** What `load --list` prints: each scenario with its parameters and thresholds. */
export function listLoadScenarios(): string {
  const width = Math.max(...LOAD_SCENARIOS.map(({ id }) => id.length));
  const text = LOAD_SCENARIOS.map(({ id, title, uses, thresholds }) =>
    [
      `${id.padEnd(width)}  ${title}`,
      `${' '.repeat(width)}  takes ${uses.join(', ')}${thresholds.length === 0 ? '' : `; holds ${thresholds.join(', ')}`}`,
    ].join('\n'),
  ).join('\n');
  return `${text}\n`;
}

/** The load scenarios as a value for JSON. */
export function loadScenariosValue(): object {
  const scenarios = LOAD_SCENARIOS.map(({ id, title, uses, thresholds }) => ({
    id,
    title,
    uses,
    thresholds,
  }));
  return { schemaVersion: 1, kind: 'load-scenarios', scenarios };
}

/**
 * Nobody loads somebody else's machine by accident.
 * @param config `null` for the embedded reference server
 * @param consent the host that the caller says it may load
 * @param named what messages call it
 * @throws {ConfigurationError} if it is another machine, and it is not that host
 */
export function requireConsent(config: TargetConfig | null, consent: string | null, named: string): void {
  if (config === null || isLoopback(config.target)) {
    return;
  }
  const { hostname, host } = new URL(config.target);
  if (consent === null) {
    throw new ConfigurationError(
      `${hostname} is not this machine: load can harm it and its users. If you are allowed to load it, add ${named} ${hostname}.`,
    );
  }
  if (consent !== hostname && consent !== host) {
    throw new ConfigurationError(`${named} ${consent} is not the host of the target, which is ${hostname}`);
  }
}
