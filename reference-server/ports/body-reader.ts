import type { IncomingMessage } from 'node:http';

import type { BodyReading } from '../service/messages.ts';

/** A body on its way in. */
export interface IncomingBody {
  readonly reading: Promise<BodyReading>;
  /** Ends the reading as `broken` if it has not ended yet. */
  readonly abandon: () => void;
}

/** Collects up to `maximumBytes`; what comes beyond is read and dropped, so that the connection stays usable. */
export function readIncomingBody(incoming: IncomingMessage, maximumBytes: number): IncomingBody {
  const { promise, resolve } = Promise.withResolvers<BodyReading>();
  const abandon = (): void => resolve({ state: 'broken' });
  if (Number(incoming.headers['content-length']) > maximumBytes) {
    incoming.resume();
    resolve({ state: 'too-large', maximumBytes });
    return { reading: promise, abandon };
  }
  if (!hasContent(incoming)) {
    resolve({ state: 'complete', bytes: new Uint8Array() });
    return { reading: promise, abandon };
  }
  let chunks: Uint8Array[] = [];
  let length = 0;
  incoming.on('data', (chunk: Uint8Array) => {
    length += chunk.byteLength;
    if (length > maximumBytes) {
      chunks = [];
      resolve({ state: 'too-large', maximumBytes });
    } else {
      chunks.push(chunk);
    }
  });
  incoming.on('end', () => resolve({ state: 'complete', bytes: Buffer.concat(chunks) }));
  incoming.on('error', abandon);
  incoming.on('close', abandon);
  if (incoming.destroyed) {
    // It was closed before anyone asked for its content.
    abandon();
  }
  return { reading: promise, abandon };
}

/** RFC 9112, section 6: either field announces content. */
export function hasContent({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
