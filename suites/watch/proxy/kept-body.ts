import { decodeContent } from '../../target/index.ts';
import type { HeaderField } from '../../../contract/verdict.ts';

// What is longer passes, and is not judged: an update is short, a list may be long.
export const LONGEST_KEPT_REQUEST = 64 * 1024;
export const LONGEST_KEPT_RESPONSE = 1024 * 1024;

/** Bytes that share their memory with nothing, so that it can be given to another thread. */
export type OwnBytes = Uint8Array<ArrayBuffer>;

/** Keeps what passes by, up to a length. */
export interface KeptBody {
  readonly add: (chunk: Buffer) => void;
  /** The bytes as they passed, in memory of their own, or `undefined` if there were too many. */
  readonly bytes: () => OwnBytes | undefined;
}

/** @param longest in bytes */
export function keepBody(longest: number): KeptBody {
  let chunks: Buffer[] = [];
  let length = 0;
  return {
    add: (chunk) => {
      length += chunk.length;
      if (length <= longest) {
        chunks.push(chunk);
      } else {
        chunks = [];
      }
    },
    // A copy: a chunk is part of a far larger buffer, which it would keep from being freed.
    bytes: () => {
      if (length > longest) {
        return undefined;
      }
      const bytes = new Uint8Array(length);
      let at = 0;
      for (const chunk of chunks) {
        bytes.set(chunk, at);
        at += chunk.length;
      }
      return bytes;
    },
  };
}

/** A body without its content coding, or `undefined` if that makes it too long. */
export function decodeKept(body: OwnBytes | undefined, headers: readonly HeaderField[]): Buffer | undefined {
  return body === undefined
    ? undefined
    : (decodeContent(Buffer.from(body.buffer), headers, LONGEST_KEPT_RESPONSE) ?? undefined);
}
