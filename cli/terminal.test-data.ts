import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';

import { onTestFinished } from 'vitest';

import { BINARY } from './run-binary.test-data.ts';

/** Whether a pseudo-terminal can be had here: `script` of util-linux makes one. */
export const HAS_TERMINAL =
  process.platform === 'linux' &&
  /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');

/** `stockcheck` at a terminal of its own. */
export interface TerminalSession {
  /** Resolves when that text is on the screen, after what was waited for before. */
  readonly see: (text: string) => Promise<void>;
  readonly type: (text: string) => void;
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;
  /** All that was on the screen, without control characters. */
  readonly screen: () => string;
}

/** Presses Ctrl-C. */
export const CTRL_C = '\u0003';
/** Empties the line. */
export const CTRL_U = '\u0015';

/** Starts `stockcheck` at a pseudo-terminal; one of no columns does not know its size, and has no rows either. */
export function startAtTerminal(
  words: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>>,
  columns = 200,
): TerminalSession {
  const command = ['exec', process.execPath, BINARY, ...words].join(' ');
  const child = spawn(
    'script',
    ['-qefc', `stty cols ${columns} rows ${columns === 0 ? 0 : 50}; ${command}`, '/dev/null'],
    {
      cwd: directory,
      env: {
        PATH: process.env['PATH'],
        SHELL: '/bin/sh',
        TERM: 'xterm-256color',
        STOCKCHECK_STATE_DIR: process.env['STOCKCHECK_STATE_DIR'],
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let seen = '';
  let from = 0;
  child.stdout.on('data', (data: Buffer) => (seen += stripVTControlCharacters(data.toString())));
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    see: async (text) => {
      for (let at = seen.indexOf(text, from); ; at = seen.indexOf(text, from)) {
        if (at !== -1) {
          from = at + text.length;
          return;
        }
        await Promise.race([
          once(child.stdout, 'data'),
          ended.then(() => {
            throw new Error(`It ended without ${JSON.stringify(text)}:\n${seen}`);
          }),
        ]);
      }
    },
    type: (text) => void child.stdin.write(text),
    ended,
    screen: () => seen,
  };
}
