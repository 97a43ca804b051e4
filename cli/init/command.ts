import type { Command } from 'commander';

import { applyColor, surroundings, type ColorFlag, type Done } from '../shared/options/command.ts';
import { addOptions } from '../shared/options/option-rows.ts';
import { outputOptionsOf, TARGET_HELP } from '../shared/options/shared-options.ts';
import { INIT_OPTIONS } from './option-rows.ts';
import type { InitFlags } from './options.ts';

/** Defines `stockcheck init`. */
export function defineInit(program: Command, done: Done): void {
  const init = program
    .command('init')
    .summary('set up a project: configuration and pipeline')
    .description(
      'Asks for a target and the environment variables that hold its keys, tries it in profile safe, and writes the configuration and, if you wish, a pipeline file. What an option answers is not asked. Keys never go into a file.',
    )
    .argument('[TARGET]', TARGET_HELP)
    .addHelpText('after', INIT_EXAMPLES)
    .action(async (target: string | undefined, flags: InitFlags & ColorFlag) => {
      applyColor(flags);
      const { readInitOptions } = await import('./options.ts');
      const options = readInitOptions(target, flags, surroundings());
      const { runInit } = await import('./run.ts');
      done(await runInit(options));
    });
  addOptions(init, 'Answers:', outputOptionsOf(INIT_OPTIONS));
}

const INIT_EXAMPLES = `
Examples:
  $ stockcheck init                                      asks
  $ stockcheck init https://staging.example/v1 --key-variable free=FREE_KEY,FREE_KEY_2 --pipeline github
  $ stockcheck init http://127.0.0.1:8080/v1 --control http://127.0.0.1:9090 --pipeline none
  $ stockcheck init https://staging.example/v1 --key-variable enterprise=KEY@5000/500000 --offline

Exit codes: 0 written, 2 bad usage or configuration, 3 the target could not be judged.`;
