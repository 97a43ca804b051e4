import type { ClientScenario } from '../../suites/certify/index.ts';
import { clientPace } from '../library/certify/judge-client.ts';
import { selectScenarios } from '../library/certify/select-scenarios.ts';
import { forOneReport } from '../shared/options/shared-options.ts';
import { refuseFirst } from '../shared/options/values.ts';
import { readCertificateOrder, type CertificateOrder } from '../shared/options/certificate-options.ts';
import {
  readOptions,
  type Flags,
  type OptionValues,
  type Surroundings,
} from '../shared/options/option-rows.ts';
import { CERTIFY_OPTIONS } from './command.ts';

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
};

/** The options of `certify` as the parser of the command line returns them. */
export type CertifyFlags = Flags<keyof typeof CERTIFY_OPTIONS>;

/** @throws {ConfigurationError} that names the option */
export function readCertifyOptions(
  command: readonly string[],
  flags: CertifyFlags,
  surroundings: Surroundings,
): CertifyOptions {
  const { only, jobs, patience, certificate, certificateKey, ...given } = forOneReport(
    readOptions(CERTIFY_OPTIONS, flags, surroundings),
  );
  const { driver } = given;
  const isManual = driver === 'none';
  refuseFirst([
    [
      isManual && command.length > 0,
      `--driver none starts nothing, so ${JSON.stringify(command[0])} has no meaning`,
    ],
    [
      !isManual && command.length === 0,
      'CMD is missing: give the program to certify after --, as in stockcheck certify -- node client.js, or --driver none',
    ],
    [isManual && jobs !== null, '--jobs has no meaning with --driver none: all scenarios wait at once'],
    [isManual && given.freedoms, '--freedoms runs the client many times, so it needs --driver exec or jsonl'],
    [
      isManual && given.herd !== null,
      '--herd starts the client many times, so it needs --driver exec or jsonl',
    ],
    [
      certificate !== null && given.herd !== null,
      '--certificate has no place beside --herd: what many clients did together cannot be judged again. Run each by itself.',
    ],
    [
      given.history !== null && given.herd !== null,
      '--history has no place beside --herd: it tells what one client did. Run each by itself.',
    ],
  ]);
  const scenarios = selectScenarios(only, '--only');
  return {
    ...given,
    certificate: readCertificateOrder({ certificate, certificateKey }, surroundings),
    command,
    scenarios,
    ...clientPace(driver, scenarios, { jobs, patienceSeconds: patience }),
  };
}
