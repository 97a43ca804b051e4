// Shorter bodies are most often one chunk, or a few.
const PENDING_BYTES = 1024 * 1024;

/** The bytes of a body as they come in, so that a long one is not in memory twice when it is whole. */
export interface ReceivedBytes {
  readonly add: (chunk: Buffer) => void;
  /** All bytes; nothing is added afterwards. */
  readonly take: () => Buffer;
}

/** @param expected number of bytes; 0 if that is not known */
export function receiveBytes(expected: number): ReceivedBytes {
  let whole = Buffer.alloc(0);
  let length = 0;
  let chunks: Buffer[] = [];
  let pending = 0;
  const gather = (): void => {
    if (length + pending > whole.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(expected, length + pending, whole.length * 2));
      larger.set(whole.subarray(0, length));
      letGo(whole);
      whole = larger;
    }
    for (const chunk of chunks) {
      whole.set(chunk, length);
      length += chunk.length;
    }
    chunks = [];
    pending = 0;
  };
  return {
    add: (chunk) => {
      chunks.push(chunk);
      pending += chunk.length;
      if (pending >= PENDING_BYTES) {
        gather();
      }
    },
    take: () => {
      if (length === 0) {
        return Buffer.concat(chunks.splice(0));
      }
      gather();
      return whole.subarray(0, length);
    },
  };
}

/** Gives the memory of bytes back at once, which they share with no others; the garbage collector may let it wait. */
export function letGo({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) {
    buffer.transfer(0);
  }
}
