import { stripVTControlCharacters } from 'node:util';

import { redactorOf } from '../../target/index.ts';

const SHOWN_BEGINNING = 1_500;
const SHOWN_END = 2_500;
const SHOWN_LINE = 200;
/** Some runtimes put their version, or where it was, behind it. */
const SAYS_WHY = /error|exception|panic|fatal|failed|not found|denied/i;
// Far more than is shown, so that no part of a secret is left where bytes were dropped, though its label is much shorter.
const KEPT_BYTES = 131_072;

export type OutputCapture = ReturnType<typeof captureOutput>;

/** Keeps the beginning and the end of what a client writes; what it shows is without terminal codes and secrets. */
export function captureOutput() {
  const stdout = keepExcerpt();
  const stderr = keepExcerpt();
  return {
    onStdout: stdout.push,
    onStderr: stderr.push,
    /** The line of stderr that most likely says why it ended; '' if there is none. */
    errorLine: (secrets: Iterable<string>): string => {
      const lines = stderr
        .text(secrets)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      const line = lines.findLast((each) => SAYS_WHY.test(each)) ?? lines.at(-1) ?? '';
      return line.slice(0, SHOWN_LINE).toWellFormed();
    },
    /** What was written so far, each stream cut to a readable length. */
    text: (secrets: Iterable<string>): string =>
      [section('stdout', stdout.text(secrets)), section('stderr', stderr.text(secrets))].join(''),
  };
}

/** The text with `[key]` in place of each secret, however it is spelled. */
export function hideSecrets(text: string, secrets: Iterable<string>): string {
  return redactorOf(Array.from(secrets, (secret) => [secret, '[key]'] as const)).redact(text);
}

function section(name: string, text: string): string {
  return text === '' ? '' : `--- ${name}\n${text}${text.endsWith('\n') ? '' : '\n'}`;
}

function keepExcerpt() {
  const begun: Buffer[] = [];
  let room = KEPT_BYTES;
  let last: Buffer[] = [];
  let held = 0;
  let total = 0;
  return {
    push: (chunk: Buffer): void => {
      total += chunk.length;
      const first = chunk.subarray(0, room);
      const rest = chunk.subarray(room);
      begun.push(first);
      room -= first.length;
      last.push(rest);
      held += rest.length;
      // Not each time, since a client may write millions of short lines.
      if (held > 2 * KEPT_BYTES) {
        last = [Buffer.concat(last).subarray(-KEPT_BYTES)];
        held = KEPT_BYTES;
      }
    },
    text: (secrets: Iterable<string>): string => {
      const beginning = Buffer.concat(begun);
      const end = Buffer.concat(last).subarray(-KEPT_BYTES);
      const read = (bytes: Buffer): string =>
        hideSecrets(stripVTControlCharacters(bytes.toString('utf8')), secrets);
      const isWhole = total === beginning.length + end.length;
      const first = read(isWhole ? Buffer.concat([beginning, end]) : beginning);
      if (isWhole && first.length <= SHOWN_BEGINNING + SHOWN_END) {
        return first;
      }
      const ending = isWhole ? first : read(end);
      const mark = `[… cut: ${total.toLocaleString('en')} bytes in all …]`;
      return `${first.slice(0, SHOWN_BEGINNING)}\n${mark}\n${ending.slice(-SHOWN_END)}`.toWellFormed();
    },
  };
}
