import type { TransportOptions } from '../../suites/target/index.ts';
import type { CONNECTION_OPTIONS } from './options/shared-options.ts';
import type { OptionValues } from './options/option-rows.ts';

/** How a run talks to its target, by the options of the command line. */
export function transportOf({
  timeout,
  insecure,
  ca,
}: Omit<OptionValues<typeof CONNECTION_OPTIONS>, 'header'>): TransportOptions {
  return { timeoutMilliseconds: timeout * 1000, insecure, certificateAuthority: ca };
}
