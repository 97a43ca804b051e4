import { styleText } from 'node:util';

/** Functions that colour a text, or return it as it is. */
export interface Palette {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
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

export function palette(color: boolean): Palette {
  const style = (format: keyof Palette) => (text: string) =>
    color ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
    cyan: style('cyan'),
  };
}
