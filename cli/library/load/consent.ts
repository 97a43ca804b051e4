import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { isLoopback, type TargetConfig } from '../../../suites/target/index.ts';

/**
 * Nobody loads somebody else's machine by accident.
 * @param config `null` for the embedded reference server
 * @param consent the host that the caller says it may load
 * @param named what messages call it
 * @throws {ConfigurationError} if it is another machine, and it is not that host
 */
export function requireConsent(config: TargetConfig | null, consent: string | null, named: string): void {
  if (config === null || isLoopback(config.target)) {
    return;
  }
  const { hostname, host } = new URL(config.target);
  if (consent === null) {
    throw new ConfigurationError(
      `${hostname} is not this machine: load can harm it and its users. If you are allowed to load it, add ${named} ${hostname}.`,
    );
  }
  if (consent !== hostname && consent !== host) {
    throw new ConfigurationError(`${named} ${consent} is not the host of the target, which is ${hostname}`);
  }
}
