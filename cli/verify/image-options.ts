import { ConfigurationError } from '../../contract/configuration-error.ts';
import { parseInteger, parseSeconds } from '../shared/options/values.ts';

/** An image that is to be started and judged. */
export interface ImageOptions {
  readonly name: string;
  /** The port of the service inside the container. */
  readonly port: number;
  /** The port of the control contract inside the container; `null` where there is none. */
  readonly controlPort: number | null;
  /** The base path of the service, without a slash at its end. */
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Longest wait from the start of the container until it is healthy. */
  readonly timeoutSeconds: number;
}

/** The options that describe an image, as the parser of the command line returns them. */
export interface ImageFlags {
  readonly image?: string;
  readonly imagePort?: string;
  readonly imageControlPort?: string;
  readonly imagePath?: string;
  readonly imageEnv?: readonly string[];
  readonly imageTimeout?: string;
}

const DEFAULTS = { port: '8080', path: '/v1', timeout: '60' };
const HIGHEST_PORT = 65_535;
const SHORTEST_TIMEOUT_SECONDS = 0.1;
const LONGEST_TIMEOUT_SECONDS = 3600;

/**
 * The image of the command line, or `null` where none is named.
 * @param elsewhere other targets and a control URL of the command line, which an image can't be combined with
 * @throws {ConfigurationError} that names the option; values of variables are never shown
 */
export function readImageOptions(
  flags: ImageFlags,
  elsewhere: {
    readonly target: string | undefined;
    readonly control: string | undefined;
    readonly self?: boolean | undefined;
  },
): ImageOptions | null {
  if (flags.image === undefined) {
    const [alone] = detailsOf(flags);
    if (alone !== undefined) {
      throw new ConfigurationError(`${alone} is for an image, and --image names none`);
    }
    return null;
  }
  if (elsewhere.target !== undefined) {
    throw new ConfigurationError(
      'TARGET and --image exclude each other: the container of the image is the target',
    );
  }
  if (elsewhere.self === true) {
    throw new ConfigurationError(
      '--self and --image exclude each other: --self takes the embedded reference server',
    );
  }
  if (elsewhere.control !== undefined) {
    throw new ConfigurationError(
      '--control and --image exclude each other: --image-control-port names the control port of an image',
    );
  }
  const port = parseInteger('--image-port', flags.imagePort ?? DEFAULTS.port, 1, HIGHEST_PORT);
  const controlPort =
    flags.imageControlPort === undefined
      ? null
      : parseInteger('--image-control-port', flags.imageControlPort, 1, HIGHEST_PORT);
  if (controlPort === port) {
    throw new ConfigurationError('--image-control-port must be another port than --image-port');
  }
  return {
    name: parseName(flags.image),
    port,
    controlPort,
    path: parsePath(flags.imagePath ?? DEFAULTS.path),
    environment: Object.fromEntries((flags.imageEnv ?? []).map(parseVariable)),
    timeoutSeconds: parseSeconds(
      '--image-timeout',
      flags.imageTimeout ?? DEFAULTS.timeout,
      SHORTEST_TIMEOUT_SECONDS,
      LONGEST_TIMEOUT_SECONDS,
    ),
  };
}

function detailsOf(flags: ImageFlags): readonly string[] {
  return [
    ...(flags.imagePort === undefined ? [] : ['--image-port']),
    ...(flags.imageControlPort === undefined ? [] : ['--image-control-port']),
    ...(flags.imagePath === undefined ? [] : ['--image-path']),
    ...(flags.imageEnv === undefined ? [] : ['--image-env']),
    ...(flags.imageTimeout === undefined ? [] : ['--image-timeout']),
  ];
}

function parseName(text: string): string {
  if (!/^[\w.:/@-]+$/.test(text) || text.startsWith('-')) {
    throw new ConfigurationError(
      `--image must be the name of an image, such as registry.example/inventory:1.2, not ${JSON.stringify(text)}`,
    );
  }
  return text;
}

function parsePath(text: string): string {
  if (!/^\/[^\s?#]*$/.test(text)) {
    throw new ConfigurationError(
      `--image-path must be the base path of the service, such as /v1, not ${JSON.stringify(text)}`,
    );
  }
  return text.replace(/\/+$/, '');
}

function parseVariable(text: string): readonly [name: string, value: string] {
  const separator = text.indexOf('=');
  // What has no name may be a secret, so it is not shown.
  if (separator < 1) {
    throw new ConfigurationError('--image-env must have the form NAME=VALUE');
  }
  return [text.slice(0, separator), text.slice(separator + 1)];
}
