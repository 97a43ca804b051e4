import {
  type ClientDriver,
  createExecDriver,
  createJsonlDriver,
  createNoneDriver,
} from '../../../suites/certify/index.ts';

export const DRIVERS = ['exec', 'jsonl', 'none'] as const;

/** How a client is started: for each scenario, once for all, or by somebody else. */
export type DriverName = (typeof DRIVERS)[number];

/** The driver of that name for a command in an environment. */
export function createDriver({
  driver,
  command,
  environment,
}: {
  readonly driver: DriverName;
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}): ClientDriver {
  switch (driver) {
    case 'exec':
      return createExecDriver({ command, environment });
    case 'jsonl':
      return createJsonlDriver({ command, environment });
    case 'none':
      return createNoneDriver();
  }
}
