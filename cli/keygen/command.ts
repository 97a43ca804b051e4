import type { CommandText } from '../shared/options/command.ts';

/** `stockcheck keygen`. */
export const KEYGEN: CommandText = {
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
};
