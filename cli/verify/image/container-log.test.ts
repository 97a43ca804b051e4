import { describe, expect, test } from 'vitest';

import { lastLines } from './container-log.ts';

/** A part of a container's output as the engine frames it: the stream, its length, the text. */
function frame(stream: 1 | 2, text: string): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

const asItIs = (text: string): string => text;

describe('the last lines of a log', () => {
  test('come from all frames, in order', () => {
    const log = Buffer.concat([frame(1, 'one\ntw'), frame(1, 'o\n'), frame(2, 'Grüße\n\n')]);
    expect(lastLines(log, asItIs)).toEqual(['one', 'two', 'Grüße']);
  });

  test('come from plain text if there are no frames', () => {
    expect(lastLines(Buffer.from('one\r\ntwo\r\n'), asItIs)).toEqual(['one', 'two']);
  });

  test('are none if nothing was printed', () => {
    expect(lastLines(Buffer.alloc(0), asItIs)).toEqual([]);
  });

  test('are at most twelve', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const shown = lastLines(frame(1, lines.join('\n')), asItIs);
    expect(shown).toEqual(lines.slice(28));
  });

  test('hold no secrets, and nothing that acts on a terminal', () => {
    const log = frame(1, 'key SECRET \u001B[31mred\n');
    expect(lastLines(log, (text) => text.replaceAll('SECRET', 'free#1'))).toEqual([
      String.raw`key free#1 \u001b[31mred`,
    ]);
  });

  test('survive a frame that was cut', () => {
    expect(lastLines(frame(1, 'one\ntwo\n').subarray(0, 13), asItIs)).toEqual(['one', 't']);
  });
});
