import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { ClientScenario } from '../../suites/certify/index.ts';
import { clientPace } from '../library/certify/judge-client.ts';
import { selectScenarios } from '../library/certify/select-scenarios.ts';
import { wantsColor } from '../shared/output/color.ts';
import { readCertificateOrder, type CertificateOrder } from '../shared/options/certificate-options.ts';
import { refuseRivalsOnStdout } from '../shared/options/format-option.ts';
import type { Surroundings } from '../shared/options/command.ts';
import { readOptions, type Flags, type OptionValues } from '../shared/options/option-rows.ts';
import { CERTIFY_OPTIONS } from './option-rows.ts';

/** What `stockcheck certify` was asked for, validated. */
export type CertifyOptions = Omit<
  OptionValues<typeof CERTIFY_OPTIONS>,
  'only' | 'config' | 'jobs' | 'patience' | 'certificate' | 'certificateKey'
> & {
  /** `null` if no certificate is asked for. */
  readonly certificate: CertificateOrder | null;
  /** The program and its arguments; empty with driver none. */
  readonly command: readonly string[];
  readonly scenarios: readonly ClientScenario[];
  readonly jobs: number;
  readonly jobsAgain: number;
  readonly patienceSeconds: number;
  readonly color: boolean;
};

/** The options of `certify` as the parser of the command line returns them. */
export type CertifyFlags = Flags<keyof typeof CERTIFY_OPTIONS>;

/** @throws {ConfigurationError} that names the option */
export function readCertifyOptions(
  command: readonly string[],
  flags: CertifyFlags,
  surroundings: Surroundings,
): CertifyOptions {
  const { only, jobs, patience, certificate, certificateKey, ...given } = readOptions(
    CERTIFY_OPTIONS,
    flags,
    surroundings,
  );
  refuseRivalsOnStdout(given);
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
  if (given.freedoms && driver === 'none') {
    throw new ConfigurationError('--freedoms runs the client many times, so it needs --driver exec or jsonl');
  }
  if (given.herd !== null && driver === 'none') {
    throw new ConfigurationError('--herd starts the client many times, so it needs --driver exec or jsonl');
  }
  if (certificate !== null && given.herd !== null) {
    throw new ConfigurationError(
      '--certificate has no place beside --herd: what many clients did together cannot be judged again. Run each by itself.',
    );
  }
  if (given.history !== null && given.herd !== null) {
    throw new ConfigurationError(
      '--history has no place beside --herd: it tells what one client did. Run each by itself.',
    );
  }
  const scenarios = selectScenarios(only, '--only');
  return {
    ...given,
    certificate: readCertificateOrder({ certificate, certificateKey }, surroundings),
    command,
    scenarios,
    ...clientPace(driver, scenarios, { jobs, patienceSeconds: patience }),
    color: wantsColor(surroundings.stdout, surroundings.environment),
  };
}
