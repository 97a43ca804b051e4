import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Connection, BodyReading, ServiceResponse } from '../service/messages.ts';

/** What is under way on one connection. */
export interface ConnectionState {
  readonly connection: Connection;
  /** The newest request if it has content; others are let go, which spares the garbage collector. */
  incoming: IncomingMessage | undefined;
  body: IncomingBody | undefined;
  /** The newest response that could not be written at once; no other one is on its way after it. */
  awaited: ServerResponse | undefined;
  /** Whether the parser has given up: no further request can come. */
  failed: boolean;
}

export type Connections = ReturnType<typeof createConnections>;

/** The connections of one listener on which a request has begun. */
export function createConnections() {
  const states = new WeakMap<Duplex, ConnectionState>();
  let count = 0;

  function begin(socket: Duplex): ConnectionState {
    count += 1;
    const connection = {
      id: count,
      remoteAddress: (socket instanceof Socket ? socket.remoteAddress : undefined) ?? '',
      drop: () => {
        socket.destroy();
      },
    };
    const state = { connection, incoming: undefined, body: undefined, awaited: undefined, failed: false };
    states.set(socket, state);
    return state;
  }

  return {
    stateOf: (socket: Duplex): ConnectionState => states.get(socket) ?? begin(socket),
    has: (socket: Duplex): boolean => states.has(socket),
  };
}

/** Runs `then` once all responses of a connection are written: now, or when the last of them is. */
export function afterResponses({ awaited }: ConnectionState, then: () => void): void {
  if (awaited === undefined || awaited.writableFinished) {
    then();
  } else {
    awaited.once('finish', then);
  }
}

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

const DRAIN_MILLISECONDS = 1_000;

/**
 * Writes a whole HTTP/1.1 message if there is no `ServerResponse` to write to, and closes the connection.
 * What the client still sends is read for a while, since unread data would turn the close into a reset.
 */
export function writeRawResponse(socket: Duplex, { status, headers, body }: ServiceResponse): void {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`;
  for (let index = 0; index < headers.length; index += 2) {
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  socket.write(`${head}Connection: close\r\n\r\n`);
  socket.write(body);
  closeGently(socket);
}

/** Sends FIN, and destroys the socket when the client has closed too, or after a second. */
export function closeGently(socket: Duplex): void {
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), DRAIN_MILLISECONDS);
  socket.once('close', () => clearTimeout(timer));
}
