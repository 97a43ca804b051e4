import type { Command } from 'commander';

import { surroundings, type Done } from '../shared/options/command.ts';

/** Defines `stockcheck keygen`. */
export function defineKeygen(program: Command, done: Done): void {
  program
    .command('keygen')
    .summary('make keys for certificates')
    .description(
      'Makes a pair of keys for certificates (Ed25519): a private key that signs, which only you may read, and a public key to give away. Files that are there are never overwritten.',
    )
    .argument('<FILE>', 'where the private key goes; the public one goes to FILE.pub')
    .addHelpText('after', KEYGEN_EXAMPLES)
    .action(async (file: string) => {
      const { makeKeys } = await import('./run.ts');
      done(await makeKeys(file, surroundings()));
    });
}

const KEYGEN_EXAMPLES = `
Examples:
  $ stockcheck keygen signing.pem            signing.pem, and signing.pem.pub to give away
  $ stockcheck verify --self --certificate certificate.json --certificate-key @signing.pem

Exit codes: 0 made, 2 bad usage, such as a file that is there already.`;
