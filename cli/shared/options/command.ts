import { disableColor } from '../output/color.ts';
import { warn } from '../output/text-output.ts';

/** What the options are read in: the environment, the working directory and whether stdout is a terminal. */
export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly directory: string;
  readonly stdout: { readonly isTTY?: boolean };
}

/** Receives the exit code of the command that ran. */
export type Done = (exitCode: number) => void;

export type ColorFlag = Readonly<Record<'color', boolean>>;

export function applyColor({ color }: ColorFlag): void {
  if (!color) {
    disableColor(process.env);
  }
}

/** What options are read against: variables, working directory, terminal. */
export function surroundings(): Surroundings {
  return { environment: process.env, directory: process.cwd(), stdout: process.stdout };
}

/** Warns of variables that begin like a setting and are none, before anything that their absence leads to. */
export async function warnOfVariables({ config }: { readonly config?: unknown }): Promise<void> {
  const named = typeof config === 'string' ? config : undefined;
  const { unknownVariables } = await import('../configuration/variables.ts');
  const { variablesNamedIn } = await import('../configuration/configuration-file.ts');
  warn(unknownVariables(process.env, variablesNamedIn(named, process.cwd())));
}

/** Parser of an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}
