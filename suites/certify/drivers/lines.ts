export const LONGEST_LINE_BYTES = 64 * 2 ** 20;
// No client says so much of one operation.
const MOST_LINES = 1_000_000;
const MOST_BYTES = 256 * 2 ** 20;

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes: hands on each line without its newline as soon as it is complete, and holds no more than one.
 * @param onLine gets `null` in place of a line longer than `longest` bytes
 * @param onEndless is told once, in a sentence, that there seems to be no end; nothing is handed on from then on
 */
export function splitLines(
  onLine: (line: Buffer | null) => void,
  onEndless: (problem: string) => void,
  longest: number = LONGEST_LINE_BYTES,
) {
  let pieces: Buffer[] = [];
  let length = 0;
  let lines = 0;
  let bytes = 0;
  let isEndless = false;
  const hold = (piece: Buffer): void => {
    length += piece.length;
    if (length > longest) {
      pieces = [];
    } else {
      pieces.push(piece);
    }
  };
  const complete = (): void => {
    const line = length > longest ? null : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    lines += 1;
    onLine(line);
  };
  return {
    push: (chunk: Buffer): void => {
      bytes += chunk.length;
      if (isEndless) {
        return;
      }
      isEndless = lines > MOST_LINES || bytes > MOST_BYTES;
      if (isEndless) {
        onEndless(
          `It wrote to stdout without an end (${bytes.toLocaleString('en')} bytes), and had to be ended.`,
        );
        return;
      }
      let from = 0;
      for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
        hold(chunk.subarray(from, to));
        complete();
        from = to + 1;
      }
      if (from < chunk.length) {
        hold(chunk.subarray(from));
      }
    },
    /** As much as before may come, since something new was asked for. */
    allowMore: (): void => {
      lines = 0;
      bytes = 0;
    },
    /** Hands on what stands behind the last newline, if anything does. */
    flush: (): void => {
      if (length > 0) {
        complete();
      }
    },
  };
}
