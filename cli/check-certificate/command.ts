import { checkInputFile, checkOutputFile } from '../shared/files/option-paths.ts';
import { asText, optional } from '../shared/options/option-rows.ts';
import type { Subcommand } from '../shared/options/command.ts';

/** The options of `stockcheck check-certificate`. */
export const CHECK_OPTIONS = {
  key: optional('<file>', 'public key (PEM) of the signer', checkInputFile),
  json: optional('<file>', 'write what came of it as JSON; - for stdout', checkOutputFile),
  transcript: optional('<file>', 'the transcript, if it lies elsewhere', asText),
};

/** `stockcheck check-certificate`. */
export const CHECK_CERTIFICATE: Subcommand = {
  summary: 'check a certificate and judge its transcript again',
  description:
    'Checks who signed a certificate of verify or certify, has the oracle judge its transcript again, compares that with what is attested, and says what rests on the word of the signer alone.',
  arguments: { '<FILE>': 'the certificate; its transcript lies beside it' },
  options: { 'Options:': CHECK_OPTIONS },
  examples: `
Examples:
  $ stockcheck check-certificate certificate.json --key signing.pem.pub
  $ stockcheck check-certificate certificate.json --key vendor.pub --transcript downloads/transcript.jsonl.gz

Exit codes: 0 it holds, and attests conformant or certified; 1 it does not hold, or attests something else;
2 bad usage, or no certificate; 3 it attests inconclusive, or cannot be judged again.`,
  run: async (call) => (await import('./run.ts')).runCheck(call),
};
