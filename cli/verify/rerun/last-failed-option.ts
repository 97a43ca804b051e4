import { ConfigurationError } from '../../../contract/configuration-error.ts';

/** Where `--last-failed` reads what failed: a report, or `null` for what is remembered of the target. */
export interface LastFailed {
  readonly report: string | null;
}

/** @throws {ConfigurationError} if the value is the target */
export function readLastFailed(text: string, named: string): LastFailed {
  if (/^https?:/i.test(text)) {
    throw new ConfigurationError(
      `${named} takes a report, not a target: write stockcheck verify TARGET ${named}`,
    );
  }
  return { report: text === '' ? null : text };
}
