import type { TransportOptions } from '../../suites/target/index.ts';

/** How a run talks to its target, by the options of the command line. */
export function transportOf({
  timeoutSeconds,
  tls,
}: {
  readonly timeoutSeconds: number;
  readonly tls: { readonly insecure: boolean; readonly ca: string | null };
}): TransportOptions {
  return {
    timeoutMilliseconds: timeoutSeconds * 1000,
    insecure: tls.insecure,
    certificateAuthority: tls.ca,
  };
}
