import { generateKeyPairSync } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Subcommand, CommandCall } from '../shared/options/command.ts';
import { errorCode } from '../../contract/error-text.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';

/** `stockcheck keygen`. */
export const KEYGEN: Subcommand = {
  summary: 'make keys for certificates',
  description:
    'Makes a pair of keys for certificates (Ed25519): a private key that signs, which only you may read, and a public key to give away. Files that are there are never overwritten.',
  arguments: { '<FILE>': 'where the private key goes; the public one goes to FILE.pub' },
  options: {},
  isPlain: true,
  examples: `
Examples:
  $ stockcheck keygen signing.pem            signing.pem, and signing.pem.pub to give away
  $ stockcheck verify --self --certificate certificate.json --certificate-key @signing.pem

Exit codes: 0 made, 2 bad usage, such as a file that is there already.`,
  run: runKeygen,
};

/**
 * Writes a private key (PKCS#8) and its public key (SPKI), both in PEM form. @returns the exit code
 * @throws {ConfigurationError} if one of the files is there already, or cannot be written
 */
async function runKeygen({
  operands: [file = ''],
  surroundings: { directory },
}: CommandCall): Promise<number> {
  const { keyIdOf } = await import('../../reports/index.ts');
  const [privateFile, publicFile] = [file, `${file}.pub`];
  for (const path of [privateFile, publicFile]) {
    if (existsSync(resolve(directory, path))) {
      throw new ConfigurationError(`keygen: ${path} is there already, and keys are never overwritten`);
    }
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const write = (path: string, text: string | Buffer, mode: number): void => {
    try {
      writeFileSync(resolve(directory, path), text, { flag: 'wx', mode });
    } catch (error) {
      throw new ConfigurationError(
        `keygen: ${path} cannot be written (${errorCode(error) ?? 'unknown error'})`,
        {
          cause: error,
        },
      );
    }
  };
  write(privateFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600);
  try {
    write(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), 0o644);
  } catch (error) {
    rmSync(resolve(directory, privateFile), { force: true });
    throw error;
  }
  process.stdout.write(
    `Private key: ${privateFile}\nPublic key:  ${publicFile}\nKey id:      ${keyIdOf(publicKey)}\n`,
  );
  return 0;
}
