import type { TargetConfig } from '../../suites/target/index.ts';
import type { Trail } from '../../contract/trail.ts';
import type { Profile } from '../../contract/verdict.ts';
import { loadConfiguration } from '../shared/configuration/configuration.ts';
import { refuseRivalsOnStdout } from '../shared/options/format-option.ts';
import type { Surroundings } from '../shared/options/command.ts';
import { readOptions, textsOf, type Flags, type OptionValues } from '../shared/options/option-rows.ts';
import { wantsColor } from '../shared/output/color.ts';
import { REPLAY_OPTIONS } from './option-rows.ts';
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
  { file, id }: { readonly file: string; readonly id: string | null },
  flags: ReplayFlags,
  surroundings: Surroundings,
): ReplayOptions {
  const { target, ...given } = readOptions(REPLAY_OPTIONS, flags, surroundings);
  refuseRivalsOnStdout(given);
  const finding = readFinding(file, id);
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
    readsWithoutKey(finding.trail),
  );
  return {
    ...given,
    finding,
    config,
    profile,
    color: wantsColor(surroundings.stdout, surroundings.environment),
    warnings,
  };
}

/** To put back what updates change takes a key, also if they were sent without one. */
function readsWithoutKey({ keys, steps }: Trail): boolean {
  const requests = steps.flatMap((step) => (step.do === 'send' ? step.requests : []));
  return keys.length === 0 && requests.every(({ method }) => method === 'GET');
}
