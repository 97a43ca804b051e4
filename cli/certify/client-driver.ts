import type { CertifyOptions } from '../../suites/certify/certify.ts';
import type { ClientDriver } from '../../suites/certify/drivers/driver.ts';
import { createExecDriver } from '../../suites/certify/drivers/exec.ts';
import { createJsonlDriver } from '../../suites/certify/drivers/jsonl.ts';
import { createNoneDriver } from '../../suites/certify/drivers/none.ts';
import type { DriverName } from './certify-options.ts';

/** Who starts a client, as `certifyClient` has to know it. */
export const STARTS: Readonly<Record<DriverName, CertifyOptions['starts']>> = {
  exec: 'each',
  jsonl: 'one',
  none: 'nobody',
};

/** The driver of that name for a command, in the environment of this process. */
export function createDriver(name: DriverName, command: readonly string[]): ClientDriver {
  const client = { command, environment: process.env };
  switch (name) {
    case 'exec':
      return createExecDriver(client);
    case 'jsonl':
      return createJsonlDriver(client);
    case 'none':
      return createNoneDriver();
  }
}
