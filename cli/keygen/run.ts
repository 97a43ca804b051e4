import { generateKeyPairSync } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { errorCode } from '../../contract/error-text.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { keyIdOf } from '../../reports/index.ts';
import type { CommandCall } from '../shared/options/command.ts';

/**
 * Writes a private key (PKCS#8) and its public key (SPKI), both in PEM form. @returns the exit code
 * @throws {ConfigurationError} if one of the files is there already, or cannot be written
 */
export async function runKeygen({
  operands: [file = ''],
  surroundings: { directory },
}: CommandCall): Promise<number> {
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
