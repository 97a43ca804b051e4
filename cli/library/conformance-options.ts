import { LATEST_SET, readRequirementSet, type RequirementSet } from '../../contract/requirements/index.ts';
import {
  readReferences,
  resolveTargetConfig,
  type TargetConfig,
  type TargetDescription,
  type TransportOptions,
} from '../../suites/target/index.ts';
import { readSelection } from '../../suites/verify/index.ts';

/** How a target is judged by a program or a test file, in place of the options of `stockcheck verify`. */
export interface ConformanceOptions {
  /** Requirements, checks or areas to judge, as globs; all by default. */
  readonly only?: readonly string[];
  /** The level up to which a requirement decides; `must` by default. */
  readonly level?: 'must' | 'should';
  /** The set of requirements that decides, such as `1.0`; the newest by default. What is newer is shown, unscored. */
  readonly requirements?: RequirementSet;
  /** Judges the day limit in real time, in 17 minutes. */
  readonly long?: boolean;
  /** Longest wait for the end of a ban; 120 s by default. */
  readonly banWaitSeconds?: number;
  /** Longest wait for a response; 10 s by default. */
  readonly timeoutSeconds?: number;
  /** Header fields to add to every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepts any TLS certificate. */
  readonly insecure?: boolean;
  /** Certificates to trust, as PEM. */
  readonly certificateAuthority?: string;
}

const DEFAULT_BAN_WAIT_SECONDS = 120;
const DEFAULT_TIMEOUT_SECONDS = 10;

/**
 * Reads a target and how it is judged. A value `"$NAME"` is read from that environment variable.
 * @param source what messages call the function that was called
 * @throws {ConfigurationError} that names the field or pattern at fault
 */
export function readConformance(target: TargetDescription, options: ConformanceOptions, source: string) {
  return {
    config: readDescription(target, source),
    selection: readSelection(options.only ?? [], `${source}: only`),
    level: options.level ?? 'must',
    requirementSet: readRequirementSet(`${source}: requirements`, options.requirements ?? LATEST_SET),
    long: options.long ?? false,
    banWaitSeconds: options.banWaitSeconds ?? DEFAULT_BAN_WAIT_SECONDS,
    transport: readTransport(options),
    headers: Object.entries(options.headers ?? {}),
  };
}

/** @throws {ConfigurationError} that names the field at fault */
export function readDescription(target: object, source: string): TargetConfig {
  const described = readReferences(target, { environment: process.env, source });
  return resolveTargetConfig(described, source);
}

/** How a run talks to its target. */
export function readTransport({
  timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
  insecure = false,
  certificateAuthority,
}: Pick<ConformanceOptions, 'timeoutSeconds' | 'insecure' | 'certificateAuthority'>): TransportOptions {
  return {
    timeoutMilliseconds: timeoutSeconds * 1000,
    insecure,
    certificateAuthority: certificateAuthority ?? null,
  };
}
