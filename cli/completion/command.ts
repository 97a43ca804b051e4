import { Argument, type Command } from 'commander';

import type { Done } from '../shared/options/command.ts';
import { SHELLS } from './known-words.ts';

/** Defines `stockcheck completion`. */
export function defineCompletion(program: Command, done: Done): void {
  program
    .command('completion')
    .summary('print a script that completes commands, options and values in a shell')
    .description('Prints the completion script for bash, zsh or fish.')
    .addArgument(new Argument('<SHELL>', 'the shell').choices(SHELLS))
    .addHelpText('after', COMPLETION_EXAMPLES)
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { runCompletion } = await import('./run.ts');
      done(await runCompletion(shell));
    });
}

const COMPLETION_EXAMPLES = `
Examples:
  $ stockcheck completion fish > ~/.config/fish/completions/stockcheck.fish
  $ source <(stockcheck completion bash)     in ~/.bashrc; with zsh in ~/.zshrc, after compinit`;
