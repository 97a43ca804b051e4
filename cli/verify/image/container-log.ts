import { printableLine } from '../../../reports/index.ts';

const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 300;
const FRAME_HEADER_BYTES = 8;
const OFFSET_OF_LENGTH = 4;

/**
 * The last lines of a container's log, safe to show on a terminal.
 * @param log what the engine answers: frames of a header of 8 bytes and text, or plain text if there is a terminal
 * @param redact replaces secrets
 */
export function lastLines(log: Buffer, redact: (text: string) => string): readonly string[] {
  return redact(readFrames(log))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-SHOWN_LINES)
    .map((line) => printableLine(line, SHOWN_CHARACTERS));
}

/** The text of the frames; the last one may be cut. */
function readFrames(log: Buffer): string {
  if (!isFramed(log)) {
    return log.toString();
  }
  const parts: Buffer[] = [];
  for (let at = 0; at + FRAME_HEADER_BYTES <= log.length;) {
    const begin = at + FRAME_HEADER_BYTES;
    const end = begin + log.readUInt32BE(at + OFFSET_OF_LENGTH);
    parts.push(log.subarray(begin, end));
    at = end;
  }
  return Buffer.concat(parts).toString();
}

/** A header begins with the number of the stream, 0 to 2, and three zeros. */
function isFramed(log: Buffer): boolean {
  return log.length >= FRAME_HEADER_BYTES && (log[0] ?? 0) <= 2 && log.readUIntBE(1, 3) === 0;
}
