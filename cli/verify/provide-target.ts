import type { ArtifactDescriptor } from '../../reports/index.ts';
import { configuredKeys, createRedactor, type TargetConfig } from '../../suites/target/index.ts';
import type { VerifyOptions } from './options.ts';

/** A target that can be judged; `close` ends what was started for it. */
export interface ProvidedTarget {
  readonly config: TargetConfig;
  /** The image that it was started from, or `null`. */
  readonly image: ArtifactDescriptor | null;
  readonly close: () => Promise<void>;
}

/**
 * The target of the options: a service that is there, a container of an image, or with `--self` the embedded reference server.
 * @param surroundings the signal cancels a start; `note` informs the user
 * @throws {UnusableImage}
 */
export async function provideTarget(
  { config, image, profile }: Pick<VerifyOptions, 'config' | 'image' | 'profile'>,
  surroundings: { readonly signal: AbortSignal; readonly note: (text: string) => void },
): Promise<ProvidedTarget> {
  if (config === null) {
    const { startEmbeddedTarget } = await import('../library/embedded/embedded-target.ts');
    const embedded = await startEmbeddedTarget(profile);
    surroundings.note('Judging the embedded reference server.');
    return { ...embedded, image: null };
  }
  if (image === null) {
    return { config, image: null, close: async () => undefined };
  }
  const { startImage } = await import('./image/start-image.ts');
  const { url, controlUrl, imageId, close } = await startImage(image, {
    ...surroundings,
    redact: redactKeys(config),
  });
  return {
    config: { ...config, target: url, control: controlUrl, isOwn: true },
    image: { name: image.name, digest: { sha256: imageId.replace(/^sha256:/, '') } },
    close,
  };
}

function redactKeys(config: TargetConfig): (text: string) => string {
  const redactor = createRedactor();
  configuredKeys(config, redactor);
  return (text) => redactor.redact(text);
}
