import type { Command } from 'commander';

import type { WorkerFlags } from './worker-options.ts';
import { collect, type Done } from '../shared/options/command.ts';

/** Defines `stockcheck worker`. */
export function defineWorker(program: Command, done: Done): void {
  program
    .command('worker')
    .summary('join a load fleet')
    .description(
      'Joins a load fleet and sends its share of each load that `stockcheck load --fleet` starts, until SIGINT or SIGTERM.',
    )
    .option('--redis <url>', 'Redis of the fleet: redis://HOST:PORT')
    .option(
      '--allow-target <host>',
      'a host other than this machine to which it may send requests; repeatable',
      collect,
    )
    .option('--name <name>', 'name in the fleet (default: host and process)')
    .addHelpText('after', WORKER_EXAMPLES)
    .action(async (flags: WorkerFlags) => {
      const { readWorkerOptions } = await import('./worker-options.ts');
      const options = readWorkerOptions(flags);
      const { runWorker } = await import('./run.ts');
      done(await runWorker(options));
    });
}

const WORKER_EXAMPLES = `
On each machine that is to send part of the load:
  $ stockcheck worker --redis redis://10.0.0.5:6379 --allow-target staging.example

Then, once for all of them:
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --fleet redis://10.0.0.5:6379`;
