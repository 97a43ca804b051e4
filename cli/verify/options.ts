import { optionName } from '../library/option-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { EXPLORE } from '../../contract/verdict.ts';
import type { ExplorationOrder } from '../../suites/verify/index.ts';
import {
  loadConfiguration,
  type LoadedConfiguration,
  readTrafficTarget,
} from '../shared/configuration/configuration.ts';
import { readCertificateOrder } from '../shared/options/certificate-options.ts';
import { outputOptions, refuseHistoryOfNothing, forOneReport } from '../shared/options/shared-options.ts';
import { readOptions, type Flags, type Surroundings } from '../shared/options/option-rows.ts';
import { readImageOptions, type ImageFlags, type ImageOptions } from './image-options.ts';
import { VERIFY_OPTIONS } from './command.ts';

/**
 * What `stockcheck verify` was asked for, validated. `config` is `null` for the embedded reference server, as `--self` asks; it
 * lacks its addresses if an `image` is to be started.
 */
export type VerifyOptions = ReturnType<typeof readVerifyOptions>;

/** The options of `verify` as the parser of the command line returns them. */
export type VerifyFlags = Flags<keyof typeof VERIFY_OPTIONS> & ImageFlags;

/** @throws {ConfigurationError} that names the option, variable or field */
export function readVerifyOptions(
  target: string | undefined,
  flags: VerifyFlags,
  surroundings: Surroundings,
) {
  const { explore, seed, certificate, certificateKey, ...given } = forOneReport(
    readOptions(VERIFY_OPTIONS, flags, surroundings),
  );
  if (given.exclusive) {
    throw new ConfigurationError('--exclusive has no meaning without --har');
  }
  const order = readCertificateOrder({ certificate, certificateKey }, surroundings);
  if (order !== null && given.dryRun) {
    throw new ConfigurationError('--certificate has no meaning with --dry-run, which sends nothing');
  }
  refuseHistoryOfNothing(given);
  const exploration = readExploration(explore, seed, given.only);
  const image = readImageOptions(flags, { ...flags, target }, surroundings);
  const { config, profile, warnings } =
    image === null
      ? loadConfiguration(target, flags, surroundings)
      : loadForImage(image, flags, surroundings);
  const ignored = given.insecure && given.ca !== null ? ['--ca has no effect beside --insecure'] : [];
  return {
    ...given,
    certificate: order,
    exploration,
    config,
    image,
    profile,
    warnings: [...warnings, ...ignored],
  };
}

/** What `stockcheck verify --har` was asked for, validated. */
export type HarOptions = ReturnType<typeof readHarOptions>;

/** What decides how recorded traffic is judged, and where the report goes. */
const OF_TRAFFIC: ReadonlySet<string> = new Set([
  'har',
  'exclusive',
  'key',
  'level',
  'requirements',
  'baseline',
  ...Object.keys(outputOptions('verify')),
  'color',
]);

/** @throws {ConfigurationError} that names the option */
export function readHarOptions(target: string | undefined, flags: VerifyFlags, surroundings: Surroundings) {
  const rival = Object.keys(flags).find((name) => !OF_TRAFFIC.has(name));
  if (rival !== undefined) {
    throw new ConfigurationError(
      `${optionName(rival)} has no place beside --har: recorded traffic is judged as it is, and nothing is sent`,
    );
  }
  const given = forOneReport(readOptions(VERIFY_OPTIONS, flags, surroundings));
  return { ...given, ...readTrafficTarget(target, flags, surroundings) };
}

const SEEDS = 2 ** 32;

/** @throws {ConfigurationError} if an option has no meaning without another */
function readExploration(
  requests: number | null,
  seed: number | null,
  only: readonly string[],
): ExplorationOrder | null {
  if (requests !== null) {
    return { requests, seed: seed ?? Math.floor(Math.random() * SEEDS), shrinking: requests };
  }
  if (seed !== null) {
    throw new ConfigurationError('--seed has no meaning without --explore');
  }
  if (only.includes(EXPLORE)) {
    throw new ConfigurationError(
      `--only ${EXPLORE} needs --explore N, the number of requests, such as --explore 3000`,
    );
  }
  return null;
}

/** The configuration of a container on this machine, at addresses that it will only have when it has been started. */
function loadForImage(
  { port, controlPort, path }: ImageOptions,
  flags: VerifyFlags,
  surroundings: Surroundings,
): LoadedConfiguration {
  const control = controlPort === null ? {} : { control: `http://127.0.0.1:${controlPort}` };
  const target = `http://127.0.0.1:${port}${path}`;
  const loaded = loadConfiguration(target, { ...flags, ...control }, surroundings);
  if (loaded.config === null || controlPort !== null) {
    return loaded;
  }
  // A control URL that is configured belongs to another server.
  if (loaded.config.keys.length === 0) {
    throw new ConfigurationError('--key: --image needs at least one API key, or --image-control-port');
  }
  return { ...loaded, config: { ...loaded.config, control: null } };
}
