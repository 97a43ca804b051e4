/** The name of a file that stands for stdout. */
export const STDOUT = '-';

/** A report in one format: its name, and the file or `-` for stdout. */
export interface FormatRequest {
  readonly format: string;
  readonly path: string;
}

/** What decides where a command's words go. */
export interface OutputOptions {
  readonly json: string | null;
  /** The file of `--events`. */
  readonly events?: string | null;
  readonly history?: string | null;
  /** Its file, until it is known how it is signed. */
  readonly certificate?: string | object | null;
  /** The reports of `--format`. */
  readonly format?: readonly FormatRequest[];
}

/** What is written, each by its option, such as `--json`. */
export function outputsOf({ json, events, history, certificate, format = [] }: OutputOptions) {
  const outputs = Object.entries({ json, events, history, certificate });
  return [
    ...outputs.flatMap(([name, path]) => (typeof path === 'string' ? [{ option: `--${name}`, path }] : [])),
    ...format.map((one) => ({ option: `--format ${one.format}`, path: one.path })),
  ];
}

/**
 * What goes to stdout in place of words.
 * @returns the options that ask for it, such as `--json`
 */
export function stdoutClaims(options: OutputOptions): readonly string[] {
  return outputsOf(options).flatMap(({ option, path }) => (path === STDOUT ? [option] : []));
}

/** Where a verdict goes in words, and whether in colours: stdout, or stderr if a report goes to stdout, as nothing else may then. */
export function textOutput(options: OutputOptions) {
  const stream = stdoutClaims(options).length > 0 ? process.stderr : process.stdout;
  return { write: (text: string) => void stream.write(text), color: wantsColor(stream, process.env) };
}

/** Prints on stderr what is allowed, but looks like a mistake. `--quiet` hides progress, not this. */
export function warn(warnings: readonly string[]): void {
  for (const warning of warnings) {
    process.stderr.write(`warning: ${warning}\n`);
  }
}

/** Whether to colour what is written to a stream: NO_COLOR, then FORCE_COLOR, then whether it is a terminal. */
export function wantsColor(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR: no = '', FORCE_COLOR: force, TERM: terminal } = environment;
  if (no !== '') {
    return false;
  }
  if (force !== undefined) {
    return force !== '0' && force !== 'false';
  }
  return stream.isTTY === true && terminal !== 'dumb';
}

/** Makes `--no-color` hold for every library that looks at the environment. */
export function disableColor(environment: Record<string, string | undefined>): void {
  environment['NO_COLOR'] = '1';
  delete environment['FORCE_COLOR'];
}
