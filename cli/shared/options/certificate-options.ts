import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { readPrivateKey } from '../../../reports/index.ts';
import { readTextFile } from '../files/json-file.ts';
import { checkOutputFile } from '../files/option-paths.ts';
import { STDOUT } from '../output/text-output.ts';
import type { Surroundings } from './option-rows.ts';
import { optional } from './option-rows.ts';

/** The variable that holds the key which signs certificates, if no option names another. */
const CERTIFICATE_KEY_VARIABLE = 'STOCKCHECK_CERTIFICATE_KEY';

/** The options of a command that can write a certificate. */
export const CERTIFICATE_OPTIONS = {
  certificate: optional(
    '<file>',
    'write a signed certificate of the verdict, and what was exchanged into a file beside it',
    readCertificatePath,
  ),
  certificateKey: optional(
    '<source>',
    `private key (PEM) that signs it: @FILE, - for stdin, or $NAME for a variable (default: $${CERTIFICATE_KEY_VARIABLE})`,
    readSigningKey,
  ),
};

/** How the certificate of a run is signed, and where it goes. */
export interface CertificateOrder {
  readonly path: string;
  /** The name of its file. */
  readonly name: string;
  readonly privateKey: KeyObject;
}

/**
 * What the options ask for; `null` if no certificate is asked for.
 * @throws {ConfigurationError} if one of them has no meaning without the other
 */
export function readCertificateOrder(
  {
    certificate,
    certificateKey,
  }: { readonly certificate: string | null; readonly certificateKey: KeyObject | null },
  surroundings: Surroundings,
): CertificateOrder | null {
  if (certificate === null) {
    if (certificateKey !== null) {
      throw new ConfigurationError('--certificate-key has no meaning without --certificate FILE');
    }
    return null;
  }
  if (certificateKey === null && surroundings.environment[CERTIFICATE_KEY_VARIABLE] === undefined) {
    throw new ConfigurationError(
      `--certificate needs a key to sign with: name it with --certificate-key @FILE, or set ${CERTIFICATE_KEY_VARIABLE}. \`stockcheck keygen FILE\` makes one`,
    );
  }
  const privateKey =
    certificateKey ?? readSigningKey(`$${CERTIFICATE_KEY_VARIABLE}`, '--certificate-key', surroundings);
  return { path: certificate, name: basename(certificate), privateKey };
}

/** The environment without the key, which is nobody else's. */
export function withoutSigningKey(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const secret = environment[CERTIFICATE_KEY_VARIABLE];
  const kept = Object.entries(environment).filter(
    ([name, value]) =>
      name !== CERTIFICATE_KEY_VARIABLE && (secret === undefined || value !== secret) && !isPrivateKey(value),
  );
  return Object.fromEntries(kept);
}

function isPrivateKey(value: string | undefined): boolean {
  return value?.includes('-----BEGIN PRIVATE KEY-----') === true;
}

/** @throws {ConfigurationError} if no file can be written there */
function readCertificatePath(path: string, option: string, place: Surroundings): string {
  if (path === STDOUT) {
    throw new ConfigurationError(`${option} takes a file, since what was exchanged is written beside it`);
  }
  return checkOutputFile(path, option, place);
}

/** @throws {ConfigurationError} that never shows the key */
function readSigningKey(text: string, option: string, { directory, environment }: Surroundings): KeyObject {
  if (isPrivateKey(text)) {
    throw new ConfigurationError(
      `${option} takes no key itself, which other users of this machine could read: use @FILE, - or $NAME`,
    );
  }
  const named = `${option} ${text}`;
  const pem = pemOf(text, named, { directory, environment });
  try {
    return readPrivateKey(pem);
  } catch (error) {
    throw new ConfigurationError(
      `${named}: ${error instanceof SyntaxError ? error.message : 'it cannot be read'}`,
      { cause: error },
    );
  }
}

function pemOf(
  text: string,
  named: string,
  { directory, environment }: Pick<Surroundings, 'directory' | 'environment'>,
): string {
  if (text === STDOUT) {
    try {
      return readFileSync(process.stdin.fd, 'utf8');
    } catch (error) {
      throw new ConfigurationError(`${named}: stdin cannot be read`, { cause: error });
    }
  }
  if (text.startsWith('$')) {
    const value = environment[text.slice(1)];
    if (value === undefined) {
      throw new ConfigurationError(`${named}: there is no such environment variable`);
    }
    // Some pipelines hold a secret on one line.
    return value.replaceAll(String.raw`\n`, '\n');
  }
  return readTextFile(resolve(directory, text.replace(/^@/, '')), named);
}
