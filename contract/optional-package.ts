import { enumeration } from './words/enumeration.ts';
import { ConfigurationError } from './configuration-error.ts';

/** What users install only if they use what needs it, with the versions that fit: optional peers in package.json. */
export const OPTIONAL_PACKAGES = {
  bullmq: '^6.7.0',
  ioredis: '^6.0.0',
  testcontainers: '^12.2.0',
} as const;

type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/**
 * Imports what needs packages that may not be installed.
 * @param user what needs them, as messages begin, such as `--image`
 * @throws {ConfigurationError} that names what is missing and the command that installs it
 */
export async function importOptional<Module>(
  user: string,
  needed: readonly OptionalPackage[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, needed)) {
      throw error;
    }
    const named = enumeration(needed);
    const [what, they, them] =
      needed.length === 1 ? ['package', 'It is', 'it'] : ['packages', 'They are', 'them'];
    const words = needed.map((name) => `${name}@${OPTIONAL_PACKAGES[name]}`).join(' ');
    throw new ConfigurationError(
      `${user} needs the ${what} ${named}. ${they} not installed with stockcheck, because most runs do without ${them}: npm install ${words}`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown, needed: readonly OptionalPackage[]): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    needed.some((name) => error.message.includes(`'${name}'`))
  );
}
