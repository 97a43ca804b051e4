import type { Command } from 'commander';

import { applyColor, surroundings, type ColorFlag, type Done } from '../shared/options/command.ts';
import { addOptions, optionsOf } from '../shared/options/option-rows.ts';
import { outputOptionsOf } from '../shared/options/shared-options.ts';
import { WATCH_GROUPS } from './option-rows.ts';
import type { WatchFlags } from './options.ts';

/** Defines `stockcheck watch`. */
export function defineWatch(program: Command, done: Done): void {
  const watch = program
    .command('watch')
    .passThroughOptions()
    .usage('--upstream URL [options] [-- CMD...]')
    .summary('judge the traffic of others from a proxy')
    .description(
      'Passes requests on to a service, unchanged, and judges what it answers. It sends nothing of its own and needs no key. It ends with Ctrl-C, after --for, or with the program behind --.',
    )
    .argument('[CMD...]', 'a program to run, after --')
    .addHelpText('after', WATCH_EXAMPLES)
    .action(async (command: readonly string[], flags: WatchFlags & ColorFlag) => {
      applyColor(flags);
      const { readWatchOptions } = await import('./options.ts');
      const options = readWatchOptions(command, flags, surroundings());
      const { runWatch } = await import('./run.ts');
      done(await runWatch(options));
    });
  addOptions(watch, 'Proxy:', optionsOf(WATCH_GROUPS.proxy));
  addOptions(watch, 'Scope:', optionsOf(WATCH_GROUPS.scope));
  addOptions(watch, 'Output:', outputOptionsOf(WATCH_GROUPS.output));
}

const WATCH_EXAMPLES = `
The program gets the address of the proxy in STOCKCHECK_BASE_URL. If it fails and
the traffic does not, its exit code is that of stockcheck.

Examples:
  $ stockcheck watch --upstream https://staging.example/v1 --port 8081
  $ stockcheck watch --upstream http://127.0.0.1:8080/v1 --report report -- npm run e2e
  $ stockcheck watch --upstream https://canary.example/v1 --for 10m --sample 10% --json watch.json

Exit codes: 0 conformant, 1 nonconformant, 2 bad usage or configuration, 3 inconclusive.`;
