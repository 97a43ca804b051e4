import {
  type ClientRunOptions,
  type ClientDriver,
  createExecDriver,
  createJsonlDriver,
  createNoneDriver,
} from '../../../suites/certify/index.ts';

export const DRIVERS = ['exec', 'jsonl', 'none'] as const;

/** How a client is started: for each scenario, once for all, or by somebody else. */
export type DriverName = (typeof DRIVERS)[number];

/** Who starts a client, as `certifyClient` has to know it. */
export const STARTS: Readonly<Record<DriverName, ClientRunOptions['starts']>> = {
  exec: 'each',
  jsonl: 'one',
  none: 'nobody',
};

/** The driver of that name for a command in an environment. */
export function createDriver(
  name: DriverName,
  client: { readonly command: readonly string[]; readonly environment: NodeJS.ProcessEnv },
): ClientDriver {
  switch (name) {
    case 'exec':
      return createExecDriver(client);
    case 'jsonl':
      return createJsonlDriver(client);
    case 'none':
      return createNoneDriver();
  }
}
