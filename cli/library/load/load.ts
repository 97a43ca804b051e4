import { LATEST_SET, readRequirementSet } from '../../../contract/requirements/index.ts';
import type { LoadParameters } from '../../../contract/load-parameters.ts';
import type { LoadScenarioResult, LoadSecond } from '../../../contract/load-result.ts';
import type { LoadReport } from '../../../reports/index.ts';
import type { TargetDescription } from '../../../suites/target/index.ts';
import { readDescription, readTransport, type ConformanceOptions } from '../conformance-options.ts';
import { guardedListener, type OnEvent } from '../guarded-listener.ts';
import { requireConsent, planScenarios } from './plan-scenarios.ts';
import { measureTarget, type MeasureTargetOptions } from './measure-target.ts';

/** What happens while a target is loaded. */
export type LoadEvent =
  /** `requests`: how many the scenario sends at most. */
  | { readonly type: 'scenario-start'; readonly scenario: string; readonly requests: number }
  | { readonly type: 'second'; readonly second: LoadSecond }
  | { readonly type: 'scenario-end'; readonly result: LoadScenarioResult }
  | { readonly type: 'notice'; readonly message: string };

/** A load scenario with parameters and thresholds of its own, as a configuration file has it. */
export interface ScenarioDescription extends Partial<LoadParameters> {
  /** Its id, as `stockcheck load --list` prints it. */
  readonly scenario: string;
  /** Such as `p99<100ms`, in place of the scenario's own. */
  readonly thresholds?: readonly string[];
}

/** How `load` measures. */
export interface LoadCallOptions extends Pick<
  ConformanceOptions,
  'level' | 'requirements' | 'timeoutSeconds' | 'headers' | 'insecure' | 'certificateAuthority'
> {
  /** What runs, one after the other; by default what `stockcheck load` runs. */
  readonly scenarios?: readonly (string | ScenarioDescription)[];
  /** The host that may be loaded, if it is not this machine. */
  readonly mayLoad?: string;
  /** Ends the run. It then puts back what it changed, and returns the report of what it had measured. */
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent<LoadEvent>;
}

/**
 * Loads an implementation from this process, as `stockcheck load` does. It writes nothing to stdout or stderr, and handles no
 * signals.
 * @param target as a configuration file describes it; a value `"$NAME"` is read from that environment variable
 * @returns the report; its `verdict` is `conformant` if every threshold held and no requirement was violated
 * @throws {ConfigurationError} that names the field or option at fault
 */
export async function load(target: TargetDescription, options: LoadCallOptions = {}): Promise<LoadReport> {
  const { level = 'must', headers = {}, signal } = options;
  const scenarios = options.scenarios?.map((scenario) =>
    typeof scenario === 'string' ? { scenario } : scenario,
  );
  const config = readDescription(
    scenarios === undefined ? target : { ...target, load: { scenarios } },
    'load()',
  );
  requireConsent(config, options.mayLoad ?? null, 'mayLoad');
  const { report } = await measureTarget({
    config,
    scenarios: planScenarios(
      config,
      { scenario: [], threshold: [], isDivided: false, profile: config.profile },
      {},
    ),
    transport: readTransport(options),
    headers: Object.entries(headers),
    signal: signal ?? new AbortController().signal,
    listener: listenerOf(guardedListener(options.onEvent)),
    fleet: null,
    level,
    requirementSet: readRequirementSet('load(): requirements', options.requirements ?? LATEST_SET),
  });
  return report;
}

function listenerOf(tell: OnEvent<LoadEvent>): MeasureTargetOptions['listener'] {
  return {
    onPhase: () => {},
    onSecond: (second) => tell({ type: 'second', second }),
    onScenarioStart: ({ scenario }, requests) =>
      tell({ type: 'scenario-start', scenario: scenario.id, requests }),
    onScenarioEnd: (result) => tell({ type: 'scenario-end', result }),
    onNotice: (message) => tell({ type: 'notice', message }),
  };
}
