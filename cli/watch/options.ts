import { ConfigurationError } from '../../contract/configuration-error.ts';
import { withColor } from '../shared/options/shared-options.ts';
import { readTrafficTarget, type TrafficTarget } from '../shared/configuration/traffic-target.ts';
import {
  readOptions,
  type Flags,
  type OptionValues,
  type Surroundings,
} from '../shared/options/option-rows.ts';
import { WATCH_OPTIONS } from './command.ts';

/** What `stockcheck watch` was asked for, validated. */
export type WatchCommandOptions = Omit<OptionValues<typeof WATCH_OPTIONS>, 'upstream'> & {
  /** Base address of the service, without a slash at its end. */
  readonly base: string;
  readonly keys: TrafficTarget['keys'];
  /** A program to run, and its arguments; empty if there is none. */
  readonly command: readonly string[];
  readonly color: boolean;
};

/** The options of `watch` as the parser of the command line returns them. */
export type WatchFlags = Flags<keyof typeof WATCH_OPTIONS>;

/** @throws {ConfigurationError} that names the option or variable */
export function readWatchOptions(
  command: readonly string[],
  flags: WatchFlags,
  surroundings: Surroundings,
): WatchCommandOptions {
  const { upstream, ...given } = withColor(readOptions(WATCH_OPTIONS, flags, surroundings), surroundings);
  if (upstream === null) {
    throw new ConfigurationError(
      '--upstream is missing: it names the base URL of the service whose traffic is to be judged, such as https://staging.example/v1',
    );
  }
  if (given.exclusive && given.sample < 1) {
    throw new ConfigurationError(
      '--exclusive has no place beside --sample: what is not judged is as if others did it',
    );
  }
  const { base, keys } = readTrafficTarget(upstream, flags, surroundings, '--upstream');
  if (base === null) {
    throw new ConfigurationError('--upstream is empty');
  }
  return {
    ...given,
    base,
    keys,
    command,
  };
}
