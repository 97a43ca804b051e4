import { wantsColor } from './color.ts';

/** The name of a file that stands for stdout. */
export const STDOUT = '-';

/** Where a verdict goes in words, and whether in colours. */
export interface TextOutput {
  readonly write: (text: string) => void;
  readonly color: boolean;
}

/** stdout, or stderr where stdout is taken by what `--json -` or the like writes to it, alone. */
export function textOutput({ color }: { readonly color: boolean }, ...paths: (string | null)[]): TextOutput {
  return paths.includes(STDOUT)
    ? {
        write: (text) => process.stderr.write(text),
        color: wantsColor(process.stderr, process.env),
      }
    : { write: (text) => process.stdout.write(text), color };
}

/** Tells on stderr what is allowed, but looks like a mistake. `--quiet` hides progress, not this. */
export function warn(warnings: readonly string[]): void {
  for (const warning of warnings) {
    process.stderr.write(`warning: ${warning}\n`);
  }
}
