import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { Profile } from '../../contract/verdict.ts';
import type { TargetConfig } from '../../suites/target/index.ts';
import { wantsColor } from '../shared/output/color.ts';
import { loadConfiguration } from '../shared/configuration/configuration.ts';
import {
  checkInputFile,
  checkOutputDirectory,
  checkOutputFile,
  readCertificates,
} from '../shared/files/option-paths.ts';
import { parseHeader } from '../shared/options/headers.ts';
import type { Surroundings } from '../shared/options/command.ts';
import { readImageOptions, type ImageFlags, type ImageOptions } from './image-options.ts';
import type { TargetFlags } from '../shared/configuration/settings.ts';
import { parseChoice, parseSeconds } from '../shared/options/values.ts';

/** What `stockcheck verify` was asked for, validated. */
export interface VerifyOptions {
  /** `null`: the embedded reference server is judged, as `--self` asks. */
  readonly config: TargetConfig | null;
  /** An image whose container is to be the target; `config` then lacks its addresses. */
  readonly image: ImageOptions | null;
  /** The profile that an option or variable asks for; it also holds for the embedded server. */
  readonly profile: Profile | null;
  readonly json: string | null;
  readonly report: string | null;
  readonly quiet: boolean;
  /** Whether stdout is to be coloured. */
  readonly color: boolean;
  readonly only: readonly string[];
  readonly level: 'must' | 'should';
  readonly baseline: string | null;
  readonly long: boolean;
  readonly dryRun: boolean;
  /** `ca` is the text of a PEM file. */
  readonly tls: { readonly insecure: boolean; readonly ca: string | null };
  readonly timeoutSeconds: number;
  readonly banWaitSeconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly warnings: readonly string[];
}

/** The options of `verify` as the parser of the command line returns them. */
export interface VerifyFlags extends TargetFlags, ImageFlags {
  readonly json?: string;
  readonly report?: string;
  readonly quiet?: boolean;
  readonly only?: readonly string[];
  readonly level: string;
  readonly baseline?: string;
  readonly long?: boolean;
  readonly dryRun?: boolean;
  readonly insecure?: boolean;
  readonly ca?: string;
  readonly timeout: string;
  readonly banWait: string;
  readonly header?: readonly string[];
}

const SHORTEST_TIMEOUT_SECONDS = 0.1;
const LONGEST_TIMEOUT_SECONDS = 600;
const LONGEST_BAN_WAIT_SECONDS = 31 * 86_400;

/** @throws {ConfigurationError} that names the option, variable or field */
export function readVerifyOptions(
  target: string | undefined,
  flags: VerifyFlags,
  { environment, directory, stdout }: Surroundings,
): VerifyOptions {
  if (flags.only?.some((pattern) => pattern.trim() === '') === true) {
    throw new ConfigurationError('--only must hold a pattern, such as limit-* or authentication');
  }
  const given = {
    json: flags.json === undefined ? null : checkOutputFile('--json', flags.json, directory),
    report: flags.report === undefined ? null : checkOutputDirectory('--report', flags.report, directory),
    baseline: flags.baseline === undefined ? null : checkInputFile('--baseline', flags.baseline, directory),
    level: parseChoice('--level', flags.level, ['must', 'should']),
    timeoutSeconds: parseSeconds(
      '--timeout',
      flags.timeout,
      SHORTEST_TIMEOUT_SECONDS,
      LONGEST_TIMEOUT_SECONDS,
    ),
    banWaitSeconds: parseSeconds('--ban-wait', flags.banWait, 0, LONGEST_BAN_WAIT_SECONDS),
    headers: (flags.header ?? []).map(parseHeader),
    tls: {
      insecure: flags.insecure ?? false,
      ca: flags.ca === undefined ? null : readCertificates('--ca', flags.ca, directory),
    },
  };
  const image = readImageOptions(flags, { target, control: flags.control, self: flags.self });
  const { config, profile, warnings } =
    image === null
      ? loadConfiguration(target, flags, environment, directory)
      : loadForImage(image, flags, environment, directory);
  return {
    ...given,
    config,
    image,
    profile,
    quiet: flags.quiet ?? false,
    color: wantsColor(stdout, environment),
    only: flags.only ?? [],
    long: flags.long ?? false,
    dryRun: flags.dryRun ?? false,
    warnings: [...warnings, ...tlsWarnings(given.tls)],
  };
}

/** The configuration of a container on this machine, at addresses that it will only have when it has been started. */
function loadForImage(
  { port, controlPort, path }: ImageOptions,
  flags: VerifyFlags,
  environment: NodeJS.ProcessEnv,
  directory: string,
): ReturnType<typeof loadConfiguration> {
  const control = controlPort === null ? {} : { control: `http://127.0.0.1:${controlPort}` };
  const loaded = loadConfiguration(
    `http://127.0.0.1:${port}${path}`,
    { ...flags, ...control },
    environment,
    directory,
  );
  if (loaded.config === null || controlPort !== null) {
    return loaded;
  }
  // A control URL that is configured belongs to another server.
  if (loaded.config.keys.length === 0) {
    throw new ConfigurationError('--key: --image needs at least one API key, or --image-control-port');
  }
  return { ...loaded, config: { ...loaded.config, control: null } };
}

function tlsWarnings({ insecure, ca }: VerifyOptions['tls']): readonly string[] {
  return insecure && ca !== null ? ['--ca has no effect beside --insecure'] : [];
}
