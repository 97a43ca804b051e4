import type { Command } from 'commander';

import { applyColor, surroundings, type ColorFlag, type Done } from '../shared/options/command.ts';
import { addOptions, optionsOf, type Flags } from '../shared/options/option-rows.ts';
import { noColorOption } from '../shared/options/shared-options.ts';
import { CHECK_OPTIONS } from './option-rows.ts';

/** Defines `stockcheck check-certificate`. */
export function defineCheckCertificate(program: Command, done: Done): void {
  const check = program
    .command('check-certificate')
    .summary('check a certificate and judge its transcript again')
    .description(
      'Checks who signed a certificate of verify or certify, has the oracle judge its transcript again, compares that with what is attested, and says what rests on the word of the signer alone.',
    )
    .argument('<FILE>', 'the certificate; its transcript lies beside it')
    .addHelpText('after', CHECK_EXAMPLES)
    .action(async (file: string, flags: Flags<keyof typeof CHECK_OPTIONS> & ColorFlag) => {
      applyColor(flags);
      const { runCheck } = await import('./run.ts');
      done(await runCheck(file, flags, surroundings()));
    });
  addOptions(check, 'Options:', [...optionsOf(CHECK_OPTIONS), noColorOption()]);
}

const CHECK_EXAMPLES = `
Examples:
  $ stockcheck check-certificate certificate.json --key signing.pem.pub
  $ stockcheck check-certificate certificate.json --key vendor.pub --transcript downloads/transcript.jsonl.gz

Exit codes: 0 it holds, and attests conformant or certified; 1 it does not hold, or attests something else;
2 bad usage, or no certificate; 3 it attests inconclusive, or cannot be judged again.`;
