import { wantsColor } from './color.ts';

/** The name of a file that stands for stdout. */
export const STDOUT = '-';

/** What decides where a command's words go. */
export interface OutputOptions {
  readonly json: string | null;
  readonly openMetrics?: string | null;
  /** Whether stdout is to be coloured. */
  readonly color: boolean;
}

/** Where a verdict goes in words, and whether in colours. */
export interface TextOutput {
  readonly write: (text: string) => void;
  readonly color: boolean;
}

/** stdout, or stderr if a report goes to stdout, since nothing else may then. */
export function textOutput({ json, openMetrics = null, color }: OutputOptions): TextOutput {
  return [json, openMetrics].includes(STDOUT)
    ? {
        write: (text) => process.stderr.write(text),
        color: wantsColor(process.stderr, process.env),
      }
    : { write: (text) => process.stdout.write(text), color };
}

/** Prints on stderr what is allowed, but looks like a mistake. `--quiet` hides progress, not this. */
export function warn(warnings: readonly string[]): void {
  for (const warning of warnings) {
    process.stderr.write(`warning: ${warning}\n`);
  }
}
