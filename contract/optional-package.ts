import { ConfigurationError } from './configuration-error.ts';
import { errorCode, messageOf } from './error-text.ts';

/** What users install only if they use what needs it, with the versions that fit: optional peers in package.json. */
export const OPTIONAL_PACKAGES = { ioredis: '^6.0.0' } as const;

type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/**
 * Imports what needs a package that may not be installed.
 * @param user what needs it, as messages begin, such as `--image`
 * @throws {ConfigurationError} that names what is missing and the command that installs it
 */
export async function importOptional<Module>(
  user: string,
  needed: OptionalPackage,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND' || !messageOf(error).includes(`'${needed}'`)) {
      throw error;
    }
    throw new ConfigurationError(
      `${user} needs the package ${needed}. It is not installed with stockcheck, because most runs do without it: npm install ${needed}@${OPTIONAL_PACKAGES[needed]}`,
      { cause: error },
    );
  }
}
