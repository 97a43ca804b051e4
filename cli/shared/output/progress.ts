import type { Ora } from 'ora';

import { wantsColor } from './text-output.ts';

// Only a terminal needs it, and every start of the program would pay for it.
const ora = process.stderr.isTTY ? (await import('ora')).default : undefined;

/** What a command shows on stderr while it works: a line that changes on a terminal, lines that stay elsewhere. */
export interface Progress {
  /** Writes a line that stays, unless `--quiet` was given. */
  readonly note: (text: string) => void;
  /** Says how far the work is. Its middle is cut first if the terminal is too narrow. */
  readonly show: (head: string, middle?: string, tail?: string) => void;
  /** Whether there is a line that changes. */
  readonly isInteractive: boolean;
  readonly stop: () => void;
}

/** @param plainLineEverySeconds how often `show` writes a line that stays if there is none that changes; never by default */
export function openProgress({
  quiet,
  plainLineEverySeconds = Number.POSITIVE_INFINITY,
}: {
  readonly quiet: boolean;
  readonly plainLineEverySeconds?: number;
}): Progress {
  const stream = process.stderr;
  const isInteractive = stream.isTTY && !quiet;
  let spinner: Ora | undefined;
  let lastLineAt = performance.now();

  const note = (text: string): void => {
    if (!quiet) {
      spinner?.clear();
      stream.write(`${text}\n`);
      spinner?.render();
    }
  };
  return {
    note,
    isInteractive,
    show: (head, middle = '', tail = '') => {
      if (isInteractive) {
        const color = wantsColor(stream, process.env) ? 'cyan' : false;
        spinner ??= ora?.({ stream, color, discardStdin: false }).start();
        if (spinner !== undefined) {
          spinner.text = progressLine(head, middle, tail, stream);
        }
      } else if (performance.now() - lastLineAt > plainLineEverySeconds * 1000) {
        lastLineAt = performance.now();
        note(`${head}${middle}${tail}`);
      }
    },
    stop: () => {
      spinner?.stop();
      spinner = undefined;
    },
  };
}

/** Longest message of a failure that is shown meanwhile, in characters. */
export const MESSAGE_LIMIT = 300;

/** What runs, by the first three names. */
export function namesOf(running: ReadonlySet<string>): readonly [names: string, more: string] {
  return [[...running].slice(0, 3).join(', '), running.size > 3 ? ` and ${running.size - 3} more` : ''];
}

/** A spinner, a space, and the place where the cursor stays. */
const TAKEN = 3;
const USUAL_COLUMNS = 80;

/**
 * What fits into one line of the terminal beside a spinner; the middle is cut first.
 * @param columns width of the terminal
 */
export function progressLine(
  head: string,
  middle: string,
  tail: string,
  { columns = USUAL_COLUMNS }: { readonly columns?: number },
): string {
  const room = Math.max(1, columns - TAKEN);
  return cut(`${head}${cut(middle, room - head.length - tail.length)}${tail}`, room);
}

function cut(text: string, room: number): string {
  return text.length <= room ? text : room < 1 ? '' : `${text.slice(0, room - 1)}…`;
}
