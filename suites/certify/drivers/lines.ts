/** Splits a stream of bytes into lines. */
export interface LineSplitter {
  readonly push: (chunk: Buffer) => void;
  /** Hands on what stands behind the last newline, if anything does. */
  readonly flush: () => void;
}

export const LONGEST_LINE_BYTES = 64 * 2 ** 20;

const NEWLINE = 0x0a;

/**
 * Hands on each line without its newline as soon as it is complete, and holds no more than one line.
 * @param onLine gets `null` in place of a line longer than `longest` bytes
 */
export function splitLines(
  onLine: (line: Buffer | null) => void,
  longest: number = LONGEST_LINE_BYTES,
): LineSplitter {
  let pieces: Buffer[] = [];
  let length = 0;
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
    onLine(line);
  };
  return {
    push: (chunk) => {
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
    flush: () => {
      if (length > 0) {
        complete();
      }
    },
  };
}
