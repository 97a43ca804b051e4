import picomatch from 'picomatch';

import { CLIENT_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { closestName } from '../../contract/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { SCENARIOS, type ClientScenario } from '../../suites/certify/index.ts';
import { wantsColor } from '../shared/output/color.ts';
import { checkInputFile, checkOutputDirectory, checkOutputFile } from '../shared/files/option-paths.ts';
import { parseChoice, parseInteger, parseSeconds, readCommaSeparated } from '../shared/options/values.ts';
import type { Surroundings } from '../shared/options/command.ts';

const DRIVERS = ['exec', 'jsonl', 'none'] as const;

export type DriverName = (typeof DRIVERS)[number];

/** What `stockcheck certify` was asked for, validated. */
export interface CertifyOptions {
  /** The program and its arguments; empty with driver none. */
  readonly command: readonly string[];
  readonly driver: DriverName;
  readonly scenarios: readonly ClientScenario[];
  readonly jobs: number;
  readonly patienceSeconds: number;
  readonly level: 'must' | 'should';
  /** The address that the counterparties listen on. */
  readonly host: string;
  readonly json: string | null;
  readonly report: string | null;
  readonly quiet: boolean;
  readonly color: boolean;
}

/** The options of `certify` as the parser of the command line returns them. */
export interface CertifyFlags {
  readonly driver: string;
  readonly only?: readonly string[];
  readonly jobs?: string;
  readonly patience?: string;
  readonly level: string;
  readonly host: string;
  readonly config?: string;
  readonly json?: string;
  readonly report?: string;
  readonly quiet?: boolean;
}

const DEFAULT_JOBS = 8;
const MOST_JOBS = 256;
const DEFAULT_PATIENCE_SECONDS = { exec: '60', jsonl: '60', none: '15' } as const;
const LONGEST_PATIENCE_SECONDS = 3_600;

/** @throws {ConfigurationError} that names the option */
export function readCertifyOptions(
  command: readonly string[],
  flags: CertifyFlags,
  { environment, directory, stdout }: Surroundings,
): CertifyOptions {
  const driver = parseChoice('--driver', flags.driver, DRIVERS);
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
  if (flags.config !== undefined) {
    checkInputFile('--config', flags.config, directory);
  }
  const scenarios = selectScenarios(flags.only ?? []);
  const jobs = flags.jobs === undefined ? null : parseInteger('--jobs', flags.jobs, 1, MOST_JOBS);
  return {
    command,
    driver,
    scenarios,
    // Somebody who types commands may take any scenario first.
    jobs: driver === 'none' ? scenarios.length : (jobs ?? DEFAULT_JOBS),
    patienceSeconds: parseSeconds(
      '--patience',
      flags.patience ?? DEFAULT_PATIENCE_SECONDS[driver],
      1,
      LONGEST_PATIENCE_SECONDS,
    ),
    level: parseChoice('--level', flags.level, ['must', 'should']),
    host: flags.host,
    json: flags.json === undefined ? null : checkOutputFile('--json', flags.json, directory),
    report: flags.report === undefined ? null : checkOutputDirectory('--report', flags.report, directory),
    quiet: flags.quiet ?? false,
    color: wantsColor(stdout, environment),
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
