import {
  certifyClient,
  CLIENT_KEY_LABEL,
  type ClientRunOptions,
  type ClientDriver,
  type ClientScenario,
  createExecDriver,
  createJsonlDriver,
  createNoneDriver,
} from '../../../suites/certify/index.ts';
import { redactorOf } from '../../../suites/target/index.ts';
import { redactReport } from '../reported-requirement.ts';
import type { Likeness } from '../twin/twin.ts';
import { startCounterparty } from './counterparty.ts';
import { buildCertifyReport, type CertifyContext } from './report.ts';

export const DRIVERS = ['exec', 'jsonl', 'none'] as const;

/** How a client is started: for each scenario, once for all, or by somebody else. */
export type DriverName = (typeof DRIVERS)[number];

/** How a client is judged. */
export interface JudgeClientOptions
  extends Omit<CertifyContext, 'like'>, Omit<ClientRunOptions, 'driver' | 'start'> {
  /** The service that the server behaves like; the reference if it is absent or `null`. */
  readonly like?: Likeness | null;
  /** What the client finds in its environment, beside what the driver contract names. */
  readonly environment: NodeJS.ProcessEnv;
  /** As many scenarios side by side when they are played again; `jobs` by default. */
  readonly jobsAgain?: number;
  /** The address that the servers listen on. */
  readonly host: string;
}

export const FEWEST_CLIENTS = 2;
/** Of more than that, the figures would be those of the machine. */
export const MOST_CLIENTS = 256;

const DEFAULT_JOBS = 8;
/** Most of a play is waiting, and what it is judged by nobody can be too late for. */
const DEFAULT_JOBS_AGAIN = 24;
const DEFAULT_PATIENCE_SECONDS = { exec: 60, jsonl: 60, none: 15 } as const;

/** How many scenarios run side by side, and how long a client may be silent. `null` stands for the default. */
export function clientPace(
  driver: DriverName,
  scenarios: readonly ClientScenario[],
  { jobs, patienceSeconds }: { readonly jobs: number | null; readonly patienceSeconds: number | null },
): Required<Pick<JudgeClientOptions, 'jobs' | 'jobsAgain' | 'patienceSeconds'>> {
  return {
    // Somebody who types commands may take any scenario first.
    jobs: driver === 'none' ? scenarios.length : (jobs ?? DEFAULT_JOBS),
    jobsAgain: jobs ?? DEFAULT_JOBS_AGAIN,
    patienceSeconds: patienceSeconds ?? DEFAULT_PATIENCE_SECONDS[driver],
  };
}

/**
 * Plays scenarios with one client, and reports what it did, without any key.
 * @throws {ConfigurationError} if the client cannot be started
 */
export async function judgeClient(options: JudgeClientOptions) {
  const { host, like = null } = options;
  const choices = like?.twin.variants.map(({ alter }) => alter) ?? [];
  const driver = createDriver(options);
  try {
    const result = await certifyClient({
      ...options,
      driver,
      start: (scenario) => startCounterparty(scenario, host, choices),
    });
    const { redact } = redactorOf(result.records.map(({ apiKey }) => [apiKey, CLIENT_KEY_LABEL]));
    const { interrupted, records } = result;
    return {
      report: redactReport(buildCertifyReport(result, options), redact),
      interrupted,
      /** The scenarios as they went; they hold keys. */
      records,
    };
  } finally {
    await driver.close();
  }
}

/** The driver of that name for a command in an environment. */
export function createDriver({
  driver,
  command,
  environment,
}: Pick<JudgeClientOptions, 'driver' | 'command' | 'environment'>): ClientDriver {
  switch (driver) {
    case 'exec':
      return createExecDriver({ command, environment });
    case 'jsonl':
      return createJsonlDriver({ command, environment });
    case 'none':
      return createNoneDriver();
  }
}
