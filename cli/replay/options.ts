import type { TargetConfig } from '../../suites/target/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { requestsOfTrail } from '../../contract/trail.ts';
import type { Profile } from '../../contract/verdict.ts';
import { withColor } from '../shared/options/shared-options.ts';
import { loadConfiguration } from '../shared/configuration/configuration.ts';
import {
  readOptions,
  textsOf,
  type Flags,
  type OptionValues,
  type Surroundings,
} from '../shared/options/option-rows.ts';
import { REPLAY_OPTIONS } from './command.ts';
import { readFinding, type FindingToReplay } from './read-finding.ts';

/** What `stockcheck replay` was asked for, validated. */
export type ReplayOptions = Omit<OptionValues<typeof REPLAY_OPTIONS>, 'target'> & {
  readonly finding: FindingToReplay;
  /** `null`: the trail is sent to the embedded reference server, as `--self` asks. */
  readonly config: TargetConfig | null;
  readonly profile: Profile | null;
  readonly color: boolean;
  readonly warnings: readonly string[];
};

/** The options of `replay` as the parser of the command line returns them. */
export type ReplayFlags = Flags<keyof typeof REPLAY_OPTIONS>;

/** @throws {ConfigurationError} that names the file, option, variable or field */
export function readReplayOptions(
  [file = '', id]: readonly string[],
  flags: ReplayFlags,
  surroundings: Surroundings,
): ReplayOptions {
  const { target, ...given } = withColor(readOptions(REPLAY_OPTIONS, flags, surroundings), surroundings);
  const finding = readFinding(file, id ?? null);
  const isSelf = textsOf(flags.self).length > 0;
  const isElsewhere = target !== null || flags.config !== undefined;
  const ownControl =
    isSelf || isElsewhere || flags.control !== undefined || finding.control === null
      ? {}
      : { control: finding.control };
  const url = target ?? (isSelf || isElsewhere ? undefined : finding.target);
  const { config, profile, warnings } = loadConfiguration(
    url,
    { ...flags, ...ownControl },
    surroundings,
    true,
  );
  if (config !== null && config.keys.length === 0 && config.control === null) {
    refuseWithoutKey(finding);
  }
  return {
    ...given,
    finding,
    config,
    profile,
    warnings,
  };
}

/** @throws {ConfigurationError} that says why, if the finding takes a key */
function refuseWithoutKey({ id, trail: { keys, steps } }: FindingToReplay): void {
  const requests = requestsOfTrail({ steps });
  const isCarriedOut = requests.some(
    ({ method, answers }) =>
      method !== 'GET' && answers.some(({ status }) => status === null || status < 400),
  );
  const reason =
    keys.length > 0
      ? `requests with a key led to ${id}`
      : isCarriedOut
        ? `an update without a key led to ${id}, and what the target carries out is read before, and put back, with a key`
        : null;
  if (reason !== null) {
    throw new ConfigurationError(`--key: ${reason}; give one, or a control URL that issues keys (--control)`);
  }
}
