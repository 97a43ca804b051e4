import { defineProgram } from '../program.ts';
import { bashScript } from './bash.ts';
import { completedCommands } from './completed-command.ts';
import { fishScript } from './fish.ts';
import type { SHELLS } from './known-words.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Prints the script for a shell, made from the definitions of all commands. @returns the exit code */
export async function runCompletion(shell: (typeof SHELLS)[number]): Promise<number> {
  process.stdout.write(await completionScript(shell));
  return 0;
}

/** The script that completes the whole command line. */
export async function completionScript(shell: (typeof SHELLS)[number]): Promise<string> {
  const program = await defineProgram([], () => undefined);
  return SCRIPTS[shell](await completedCommands(program));
}
