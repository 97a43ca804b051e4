import { configuredKeys, createRedactor, type TargetConfig } from '../../suites/target/index.ts';
import type { VerifyOptions } from './options.ts';

/** A target that can be judged; `close` ends what was started for it. */
export interface ProvidedTarget {
  readonly config: TargetConfig;
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
    return embedded;
  }
  if (image === null) {
    return { config, close: async () => undefined };
  }
  const { startImage } = await import('./image/start-image.ts');
  const { url, controlUrl, close } = await startImage(image, { ...surroundings, redact: redactKeys(config) });
  return { config: { ...config, target: url, control: controlUrl }, close };
}

function redactKeys(config: TargetConfig): (text: string) => string {
  const redactor = createRedactor();
  configuredKeys(config, redactor);
  return (text) => redactor.redact(text);
}
