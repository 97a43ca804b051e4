import { optionName } from '../library/option-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { Surroundings } from '../shared/options/option-rows.ts';
import { list, optional, readOptions, withDefault, type Flags } from '../shared/options/option-rows.ts';
import { HIGHEST_PORT, integerWithin, ofForm, refuseFirst, secondsWithin } from '../shared/options/values.ts';

/** The options that describe an image, which is started and judged. */
export const IMAGE_OPTIONS = {
  image: optional(
    '<name>',
    'start a container of this image, judge it and remove it',
    ofForm(/^[\w.:/@][\w.:/@-]*$/, 'the name of an image, such as registry.example/inventory:1.2'),
  ),
  imagePort: withDefault(
    '<port>',
    'port of the service in the container',
    '8080',
    integerWithin(1, HIGHEST_PORT),
  ),
  imageControlPort: optional(
    '<port>',
    'port of the control contract in the container',
    integerWithin(1, HIGHEST_PORT),
  ),
  imagePath: withDefault(
    '<path>',
    'base path of the service',
    '/v1',
    ofForm(/^\/[^\s?#]*$/, 'the base path of the service, such as /v1'),
  ),
  imageEnv: list('<name=value>', 'environment variable of the container', parseVariable, {
    secret: 'variable',
  }),
  imageTimeout: withDefault(
    '<seconds>',
    'longest wait until the container is healthy',
    '60',
    secondsWithin(0.1, 3600),
  ),
};

/** An image that is to be started and judged; `path` is the base path of the service, without a slash at its end. */
export type ImageOptions = NonNullable<ReturnType<typeof readImageOptions>>;

export type ImageFlags = Flags<keyof typeof IMAGE_OPTIONS>;

/**
 * The image of the command line, or `null` if none is named.
 * @param rivals what else may name a target, or its control URL, on the command line
 * @throws {ConfigurationError} that names the option; values of variables are never shown
 */
export function readImageOptions(
  flags: ImageFlags,
  rivals: { readonly [Name in 'target' | 'self' | 'control']?: Flags<string>[string] | undefined },
  surroundings: Surroundings,
) {
  const { image, ...details } = readOptions(IMAGE_OPTIONS, flags, surroundings);
  if (image === null) {
    const alone = Object.entries(flags).find(
      ([name, value]) => value !== undefined && Object.hasOwn(details, name),
    );
    if (alone !== undefined) {
      throw new ConfigurationError(`${optionName(alone[0])} describes an image, but --image names none`);
    }
    return null;
  }
  refuseFirst(RIVALS.map(([name, message]) => [rivals[name] !== undefined, message]));
  const { imagePort: port, imageControlPort: controlPort, imagePath, imageEnv, imageTimeout } = details;
  if (controlPort === port) {
    throw new ConfigurationError('--image-control-port must be another port than --image-port');
  }
  return {
    name: image,
    port,
    controlPort,
    path: imagePath.replace(/\/+$/, ''),
    environment: Object.fromEntries(imageEnv),
    timeoutSeconds: imageTimeout,
  };
}

const RIVALS = [
  ['target', 'TARGET and --image exclude each other: the container of the image is the target'],
  ['self', '--self and --image exclude each other: --self takes the embedded reference server'],
  [
    'control',
    '--control and --image exclude each other: --image-control-port names the control port of an image',
  ],
] as const;

function parseVariable(text: string): readonly [name: string, value: string] {
  const separator = text.indexOf('=');
  // What has no name may be a secret, so it is not shown.
  if (separator < 1) {
    throw new ConfigurationError('--image-env must have the form NAME=VALUE');
  }
  return [text.slice(0, separator), text.slice(separator + 1)];
}
