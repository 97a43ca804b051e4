import { decodeContent } from '../../target/index.ts';
import type { HeaderField } from '../../../contract/verdict.ts';

// What is longer passes, and is not judged.
const LONGEST_KEPT_BYTES = 1024 * 1024;

/** Keeps what passes by, up to a length; it holds the chunks themselves and copies none of them. */
export interface KeptBody {
  readonly add: (chunk: Buffer) => void;
  /** The bytes as they passed, or `undefined` if there were too many. */
  readonly bytes: () => Buffer | undefined;
}

export function keepBody(): KeptBody {
  let chunks: Buffer[] = [];
  let length = 0;
  return {
    add: (chunk) => {
      length += chunk.length;
      if (length <= LONGEST_KEPT_BYTES) {
        chunks.push(chunk);
      } else {
        chunks = [];
      }
    },
    bytes: () => (length <= LONGEST_KEPT_BYTES ? Buffer.concat(chunks) : undefined),
  };
}

/** A body without its content coding, or `undefined` if that makes it too long. */
export function decodeKept(body: Buffer | undefined, headers: readonly HeaderField[]): Buffer | undefined {
  return body === undefined ? undefined : (decodeContent(body, headers, LONGEST_KEPT_BYTES) ?? undefined);
}
