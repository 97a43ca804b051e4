import { ConfigurationError } from '../../contract/configuration-error.ts';
import { isLoopback, type TargetConfig } from '../../suites/target/index.ts';
import type { Profile } from '../../contract/verdict.ts';
import type { PlannedScenario } from '../../load/index.ts';
import { wantsColor } from '../shared/output/color.ts';
import { loadConfiguration } from '../shared/configuration/configuration.ts';
import { STDOUT } from '../shared/output/text-output.ts';
import {
  checkInputFile,
  checkOutputDirectory,
  checkOutputFile,
  readCertificates,
} from '../shared/files/option-paths.ts';
import { checkFleet, readFleet, type FleetChoice } from './fleet.ts';
import { parseHeader } from '../shared/options/headers.ts';
import type { LoadFlags } from './load-flags.ts';
import { checkCeiling, planScenarios } from './plan-scenarios.ts';
import { readParameters } from './load-parameters.ts';
import { parseChoice, parseInteger, parseSeconds, parseShare } from '../shared/options/values.ts';
import type { Surroundings } from '../shared/options/command.ts';

/** What `stockcheck load` was asked for, validated. */
export interface LoadOptions {
  /** `null`: the embedded reference server is loaded, as `--self` asks. */
  readonly config: TargetConfig | null;
  readonly profile: Profile | null;
  readonly scenarios: readonly PlannedScenario[];
  readonly json: string | null;
  readonly report: string | null;
  readonly openMetrics: string | null;
  readonly baseline: string | null;
  readonly tolerance: number;
  readonly level: 'must' | 'should';
  readonly quiet: boolean;
  readonly color: boolean;
  readonly dryRun: boolean;
  /** Port of the page that follows the run, 0 for any that is free; `null` for none. */
  readonly livePort: number | null;
  readonly tls: { readonly insecure: boolean; readonly ca: string | null };
  readonly timeoutSeconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly warnings: readonly string[];
  /** Workers that share the load, or `null` if this process sends all of it. */
  readonly fleet: FleetChoice | null;
}

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
    tolerance: parseShare('--tolerance', flags.tolerance),
    level: parseChoice('--level', flags.level, ['must', 'should']),
    timeoutSeconds: parseSeconds('--timeout', flags.timeout, 0.1, 600),
    headers: (flags.header ?? []).map(parseHeader),
    livePort: readLivePort(flags.live),
    tls: {
      insecure: flags.insecure ?? false,
      ca: flags.ca === undefined ? null : readCertificates('--ca', flags.ca, directory),
    },
  };
  if (given.json === STDOUT && given.openMetrics === STDOUT) {
    throw new ConfigurationError(
      '--json - and --openmetrics - exclude each other: both take stdout for themselves',
    );
  }
  const parameters = readParameters(flags);
  const fleet = readFleet(flags);
  const { config, profile, warnings } = loadConfiguration(target, flags, environment, directory);
  requireConsent(config, flags.iMayLoad);
  const scenarios = planScenarios(config, flags, parameters);
  checkFleet(fleet, config, scenarios);
  checkCeiling(scenarios, flags.maxRequests);
  return {
    ...given,
    config,
    profile,
    scenarios,
    quiet: flags.quiet ?? false,
    color: wantsColor(stdout, environment),
    dryRun: flags.dryRun ?? false,
    warnings,
    fleet,
  };
}

function readLivePort(live: string | true | undefined): number | null {
  return live === undefined ? null : live === true ? 0 : parseInteger('--live', live, 0, 65_535);
}

/** Nobody loads somebody else's machine by a slip. */
function requireConsent(config: TargetConfig | null, consent: string | undefined): void {
  if (config === null || isLoopback(config.target)) {
    return;
  }
  const { hostname, host } = new URL(config.target);
  if (consent === undefined) {
    throw new ConfigurationError(
      `${hostname} is not this machine: load can harm it and its users. If you are allowed to load it, add --i-may-load ${hostname}.`,
    );
  }
  if (consent !== hostname && consent !== host) {
    throw new ConfigurationError(
      `--i-may-load ${consent} is not the host of the target, which is ${hostname}`,
    );
  }
}
