import type { Command } from 'commander';

import type { ServeFlags } from './serve-options.ts';
import { collect, type Done } from '../shared/options/command.ts';

/** Defines `stockcheck serve`. */
export function defineServe(program: Command, done: Done): void {
  program
    .command('serve')
    .summary('run the reference server')
    .description('Runs the reference server until SIGINT or SIGTERM, and prints its URLs and keys.')
    .option('--host <host>', 'address to listen on; the control port is always on loopback', '127.0.0.1')
    .option('--port <port>', 'port of the service; 0 for any free port', '8080')
    .option('--control-port <port>', 'port of the control contract; 0 for any free port', '9090')
    .option('--no-control', 'offer no control contract')
    .option(
      '--key <plan=key>',
      'API key in place of the seed keys, or plan=key@perMinute/perDay; repeatable',
      collect,
    )
    .option('--pets <n>', 'number of pets in the inventory', '24')
    .option('--seed <n>', 'seed of the inventory', '1')
    .option('--ban-after <n>', 'refused requests after a 429 that lead to a ban')
    .option('--ban-seconds <n>', 'length of a ban in seconds')
    .option('--ban-status <status>', 'status of the answers to a banned key: 401, 403 or 429')
    .option('--no-ban', 'ban no key')
    .option(
      '--variant <names>',
      'permitted variants (stockcheck prove --list); repeatable, or separated by commas',
      collect,
    )
    .option(
      '--fault <names>',
      'faults (stockcheck prove --list); repeatable, or separated by commas',
      collect,
    )
    .option(
      '--like <report>',
      'behave as the service that this report of verify judged (JSON, or its folder)',
    )
    .option('--latency', 'with --like: answer as late as the service did (its median, requests sent alone)')
    .option('--store <url>', 'share limits, bans, keys, inventory and clock in a Redis: redis://HOST:PORT/DB')
    .option('--store-namespace <name>', 'keeps services on one Redis apart (default: stockcheck)')
    .option('--workers <n>', 'serve from n processes on one port; needs --store')
    .addHelpText('after', SERVE_EXAMPLES)
    .action(async (flags: ServeFlags) => {
      const { readServeOptions } = await import('./serve-options.ts');
      const options = readServeOptions(flags);
      const { runServe } = await import('./run.ts');
      done(await runServe(options));
    });
}

const SERVE_EXAMPLES = `
Examples:
  $ stockcheck serve
  $ stockcheck serve --port 0 --control-port 0
  $ stockcheck serve --key free=k1,k2 --key enterprise=k6@5000/500000 --pets 20000
  $ stockcheck serve --no-control --ban-after 3 --ban-seconds 30 --ban-status 403
  $ stockcheck serve --variant aligned-windows --fault remaining-missing-once-in-fifteen
  $ stockcheck serve --like report/report.json --latency
  $ stockcheck serve --store redis://127.0.0.1:6379 --workers 2`;
