import type { Command } from 'commander';

import type { CertifyFlags } from '../options/certify-options.ts';
import { applyColor, collect, surroundings, type ColorFlag, type Done } from './command.ts';
import { jsonOption, levelOption, noColorOption, quietOption, reportOption } from './shared-options.ts';

/** Defines `stockcheck certify`. */
export function defineCertify(program: Command, done: Done): void {
  program
    .command('certify')
    .summary('judge a client program')
    .description(
      'Judges a client: starts it once for each scenario against a server of its own, and looks at what it sends, when, and what it reports.',
    )
    .argument('[CMD...]', 'the client and its arguments, after --')
    .option('--driver <name>', 'exec (start it for each scenario), jsonl (one process) or none', 'exec')
    .option('--only <pattern>', 'scenarios, by id or by what they judge (glob); repeatable', collect)
    .option('--jobs <n>', 'scenarios side by side (default: 8)')
    .option('--patience <seconds>', 'silence after which a client is ended (default: 60; with none: 15)')
    .addOption(levelOption())
    .option('--host <host>', 'address that the servers listen on', '127.0.0.1')
    .optionsGroup('Output:')
    .option('--config <file>', 'configuration; nothing in it concerns a client')
    .addOption(jsonOption())
    .addOption(reportOption())
    .addOption(quietOption())
    .addOption(noColorOption())
    .addHelpText('after', CERTIFY_EXAMPLES)
    .action(async (command: readonly string[], flags: CertifyFlags & ColorFlag) => {
      applyColor(flags);
      const { readCertifyOptions } = await import('../options/certify-options.ts');
      const options = readCertifyOptions(command, flags, surroundings());
      const { runCertify } = await import('../certify.ts');
      done(await runCertify(options));
    });
}

const CERTIFY_EXAMPLES = `
The client gets STOCKCHECK_BASE_URL, STOCKCHECK_API_KEY and STOCKCHECK_OPERATION
(listInventory or updateInventory, then also STOCKCHECK_PET_ID and
STOCKCHECK_QUANTITY), performs that one operation with whatever retrying it does,
and prints as its last line {"ok":true,"value":…} or
{"ok":false,"error":{"code":"…","message":"…","status":404}}.

Examples:
  $ stockcheck certify --report report -- node client.js
  $ stockcheck certify --json certify.json -- python3 client.py --verbose
  $ stockcheck certify --driver jsonl -- ./client --jsonl
  $ stockcheck certify --driver none --only 'limited-*'

Exit codes: 0 certified, 1 not certified, 2 bad usage, 3 inconclusive.`;
