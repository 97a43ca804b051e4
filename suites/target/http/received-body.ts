import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';

/** Gives the memory of bytes back at once, which they share with no others; the garbage collector may let it wait. */
export function letGo({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) {
    buffer.transfer(0);
  }
}

/** Lets one in after the other. */
export type Mutex = ReturnType<typeof createMutex>;

export function createMutex() {
  let last: Promise<void> = Promise.resolve();
  return {
    /** Resolves with what lets the next one in. */
    acquire: async (): Promise<() => void> => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      return resolve;
    },
  };
}

type ZlibOptions = { readonly maxOutputLength: number; readonly chunkSize?: number };
type Decoder = (body: Buffer, options: ZlibOptions) => Buffer;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
  ['identity', (body) => body],
]);

// What is unpacked from more is taken in one piece, so that it is not in memory once more when it is put together.
const LONG_BODY_BYTES = 64 * 1024;

// Each takes time of its own; nobody needs more.
const MOST_CODINGS = 4;

/** What stands for a body that is not in the coding which it claims, as no client can read it. */
export function unreadableBody(body: Buffer): (codings: readonly string[]) => Buffer {
  return (codings) => Buffer.concat([Buffer.from(`(not in ${codings.join(', ')}) `), body]);
}

/**
 * Undoes the content codings of a body (RFC 9110, section 8.4). One that is not what it claims to be comes as it is.
 * @param misnamed what comes in place of that
 * @returns `null` if it would be longer than `most` bytes
 */
export function decodeContent(
  body: Buffer,
  headers: readonly HeaderField[],
  most: number,
  misnamed: (codings: readonly string[]) => Buffer = () => body,
): Buffer | null {
  const codings = headerValues(headers, 'Content-Encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase());
  const decoders = codings.toReversed().map((coding) => DECODERS.get(coding));
  let decoded = body;
  try {
    for (const decode of decoders.length > MOST_CODINGS || body.length === 0 ? [] : decoders) {
      if (decode === undefined) {
        return body;
      }
      decoded = decode(decoded, {
        maxOutputLength: most,
        ...(decoded.length > LONG_BODY_BYTES ? { chunkSize: most } : {}),
      });
    }
    return decoded;
  } catch (error) {
    return error instanceof RangeError ? null : misnamed(codings);
  }
}
