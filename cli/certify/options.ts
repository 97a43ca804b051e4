import picomatch from 'picomatch';

import { CLIENT_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { closestName } from '../../contract/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { SCENARIOS, type ClientScenario } from '../../suites/certify/index.ts';
import { wantsColor } from '../shared/output/color.ts';
import type { Surroundings } from '../shared/options/command.ts';
import { readOptions, type Flags, type OptionValues } from '../shared/options/option-rows.ts';
import { readCommaSeparated } from '../shared/options/values.ts';
import { CERTIFY_OPTIONS } from './option-rows.ts';

/** What `stockcheck certify` was asked for, validated. */
export type CertifyOptions = Omit<
  OptionValues<typeof CERTIFY_OPTIONS>,
  'only' | 'config' | 'jobs' | 'patience'
> & {
  /** The program and its arguments; empty with driver none. */
  readonly command: readonly string[];
  readonly scenarios: readonly ClientScenario[];
  readonly jobs: number;
  readonly patienceSeconds: number;
  readonly color: boolean;
};

/** The options of `certify` as the parser of the command line returns them. */
export type CertifyFlags = Flags<keyof typeof CERTIFY_OPTIONS>;

const DEFAULT_JOBS = 8;
const DEFAULT_PATIENCE_SECONDS = { exec: 60, jsonl: 60, none: 15 } as const;

/** @throws {ConfigurationError} that names the option */
export function readCertifyOptions(
  command: readonly string[],
  flags: CertifyFlags,
  surroundings: Surroundings,
): CertifyOptions {
  const { only, jobs, patience, ...given } = readOptions(CERTIFY_OPTIONS, flags, surroundings);
  const { driver } = given;
  if (driver === 'none' && command.length > 0) {
    throw new ConfigurationError(
      `--driver none starts nothing, so ${JSON.stringify(command[0])} has no meaning`,
    );
  }
  if (driver !== 'none' && command.length === 0) {
    throw new ConfigurationError(
      'CMD is missing: give the program to certify after --, as in stockcheck certify -- node client.js, or --driver none',
    );
  }
  const scenarios = selectScenarios(only);
  return {
    ...given,
    command,
    scenarios,
    // Somebody who types commands may take any scenario first.
    jobs: driver === 'none' ? scenarios.length : (jobs ?? DEFAULT_JOBS),
    patienceSeconds: patience ?? DEFAULT_PATIENCE_SECONDS[driver],
    color: wantsColor(surroundings.stdout, surroundings.environment),
  };
}

/** The scenarios whose id, or a requirement that they are judged by, fits one of the patterns. */
function selectScenarios(patterns: readonly string[]): readonly ClientScenario[] {
  if (patterns.length === 0) {
    return SCENARIOS;
  }
  const selected = new Set<ClientScenario>();
  for (const pattern of readCommaSeparated('--only', patterns)) {
    const matches = picomatch(pattern);
    const found = SCENARIOS.filter(
      ({ id, judges }) => matches(id) || judges.some((judged) => matches(judged)),
    );
    if (found.length === 0) {
      const closest = closestName(
        pattern,
        [...SCENARIOS, ...CLIENT_REQUIREMENTS].map(({ id }) => id),
      );
      const hint = closest === undefined ? '' : ` Did you mean ${closest}?`;
      throw new ConfigurationError(
        `--only ${pattern} matches no scenario and no client requirement.${hint} \`stockcheck explain client\` lists the requirements.`,
      );
    }
    found.forEach((scenario) => selected.add(scenario));
  }
  return SCENARIOS.filter((scenario) => selected.has(scenario));
}
