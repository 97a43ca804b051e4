import type { Command } from 'commander';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { CertifyFlags } from './options.ts';
import { applyColor, surroundings, type ColorFlag, type Done } from '../shared/options/command.ts';
import { addOptions, optionsOf } from '../shared/options/option-rows.ts';
import { outputOptionsOf } from '../shared/options/shared-options.ts';
import { STDOUT } from '../shared/output/text-output.ts';
import { CERTIFY_GROUPS, CERTIFY_OPTIONS } from './option-rows.ts';

/** Defines `stockcheck certify`. */
export function defineCertify(program: Command, done: Done, words: readonly string[]): void {
  const certify = program.command('certify');
  certify
    // The first word that is no option begins the client's command line, as if -- stood before it.
    .passThroughOptions()
    .usage('[options] -- CMD...')
    .summary('judge a client program')
    .description(
      'Judges a client: starts it once for each scenario against a server of its own, and checks what it sends, when it sends it, and what it reports.',
    )
    .argument('[CMD...]', 'the client and its arguments, after --')
    .addHelpText('after', CERTIFY_EXAMPLES)
    .action(async (command: readonly string[], flags: CertifyFlags & ColorFlag) => {
      applyColor(flags);
      if (flags.list === true) {
        await printScenarios(flags);
        return;
      }
      refuseOwnOptions(command, words, certify);
      const { readCertifyOptions } = await import('./options.ts');
      const options = readCertifyOptions(command, flags, surroundings());
      const { readRepetition } = await import('../shared/output/repeat-line.ts');
      const { runCertify } = await import('./run.ts');
      done(await runCertify(options, readRepetition('certify', undefined, CERTIFY_OPTIONS, flags)));
    });
  addOptions(certify, 'Options:', optionsOf(CERTIFY_GROUPS.client));
  addOptions(certify, 'Output:', outputOptionsOf(CERTIFY_GROUPS.output));
}

/** Prints the scenarios that --only selects; as JSON with --json, to a file if it names one. */
async function printScenarios({ only = [], json }: CertifyFlags): Promise<void> {
  const { selectScenarios } = await import('../library/certify/select-scenarios.ts');
  const { listScenarios, scenariosJson } = await import('./list-scenarios.ts');
  const scenarios = selectScenarios(typeof only === 'object' ? only : [], '--only');
  if (typeof json === 'string' && json !== STDOUT) {
    const { writeReportText } = await import('../../reports/index.ts');
    await writeReportText(json, scenariosJson(scenarios));
  } else {
    process.stdout.write(json === undefined ? listScenarios(scenarios) : scenariosJson(scenarios));
  }
}

/**
 * Without --, an option of certify behind the client's program may be meant for either.
 * @throws {ConfigurationError} that names it
 */
function refuseOwnOptions(command: readonly string[], words: readonly string[], { options }: Command): void {
  const isSeparated = words.at(-command.length - 1) === '--';
  const own = new Set(['-h', '--help', ...options.flatMap(({ short, long }) => [short, long])]);
  const unclear = isSeparated
    ? undefined
    : command.slice(1).find((word) => own.has(word.replace(/=[^]*/, '')));
  if (unclear !== undefined) {
    const option = unclear.replace(/=[^]*/, '');
    throw new ConfigurationError(
      `${option} may be meant for stockcheck or for ${command[0]}: options of stockcheck come first, then --, then the client, as in stockcheck certify --quiet -- node client.js`,
    );
  }
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
  $ stockcheck certify --herd 16 --only 'limited-*' -- node client.js
  $ stockcheck certify --certificate certificate.json --certificate-key @signing.pem -- node client.js
  $ stockcheck certify --driver none --only 'limited-*'
  $ stockcheck certify --list

Exit codes: 0 certified, 1 not certified, 2 bad usage, 3 inconclusive.`;
