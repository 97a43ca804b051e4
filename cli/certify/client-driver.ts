import {
  type ClientRunOptions,
  type ClientDriver,
  createExecDriver,
  createJsonlDriver,
  createNoneDriver,
} from '../../suites/certify/index.ts';
import type { DriverName } from './option-rows.ts';

/** Who starts a client, as `certifyClient` has to know it. */
export const STARTS: Readonly<Record<DriverName, ClientRunOptions['starts']>> = {
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
