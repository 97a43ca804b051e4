import type { ReadStream } from 'node:tty';

const CTRL_C = '\u0003';

/** What somebody at the terminal may ask for. */
export interface KeyCommands {
  readonly again: () => void;
  readonly quit: () => void;
}

/**
 * Follows what is typed: Enter, q and Ctrl-C on a terminal, lines elsewhere.
 * @returns what ends it
 */
export function watchKeys(input: ReadStream | NodeJS.ReadStream, { again, quit }: KeyCommands): () => void {
  const onData = (chunk: Buffer): void => {
    for (const character of chunk.toString()) {
      if (character === CTRL_C) {
        // In raw mode the terminal sends no signal.
        process.kill(process.pid, 'SIGINT');
      } else if (character === 'q' || character === 'Q') {
        quit();
      } else if (character === '\r' || character === '\n') {
        again();
      }
    }
  };
  if (input.isTTY) {
    input.setRawMode(true);
  }
  input.on('data', onData);
  return () => {
    input.off('data', onData);
    if (input.isTTY) {
      input.setRawMode(false);
    }
    input.pause();
  };
}
