import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Pool } from 'undici';
import { headerValues } from '../contract/rate-limit-headers.ts';
import type { HeaderField } from '../contract/verdict.ts';
import type { ResponseMessage } from './exchange.ts';

/** No response came: refused, reset, timed out or broken HTTP. `code` is the system's or undici's. */
export class TransportError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'TransportError';
    this.code = code;
  }
}

/** Code of an interim 100 that no Expect had asked for: HTTP permits it (RFC 9110, section 15.2), undici does not. */
export const UNASKED_CONTINUE = 'UNASKED_CONTINUE';
const UNASKED_CONTINUE_TO_UNDICI = 'bad response';

export interface TransportOptions {
  /** Milliseconds that the target may take for the head of a response, and between two parts of its body. */
  readonly timeoutMilliseconds: number;
  readonly insecure: boolean;
  /** PEM text of a certificate authority to trust beside the usual ones. */
  readonly certificateAuthority: string | null;
}

export interface WireRequest {
  readonly method: string;
  /** The whole request target, sent as it is. */
  readonly path: string;
  readonly headers: readonly HeaderField[];
  readonly body: string | Uint8Array | null;
  /** The body follows the header section after a while, in two parts with a pause between them. */
  readonly bodyInParts?: true;
}

/** Connections to one origin; at most `size` at once, one request at a time on each. */
export interface ConnectionPool {
  send(request: WireRequest): Promise<ResponseMessage>;
  /** Ends idle and busy connections alike. */
  destroy(): Promise<void>;
}

/** Opens a pool of HTTP/1.1 connections that neither follows redirects nor tries again nor changes a header. */
export function openConnections(origin: string, size: number, options: TransportOptions): ConnectionPool {
  const pool = new Pool(origin, {
    connections: size,
    pipelining: 1,
    allowH2: false,
    headersTimeout: options.timeoutMilliseconds,
    bodyTimeout: options.timeoutMilliseconds,
    connect: {
      timeout: options.timeoutMilliseconds,
      rejectUnauthorized: !options.insecure,
      ...(options.certificateAuthority === null ? {} : { ca: options.certificateAuthority }),
    },
  });
  return {
    send: (request) => dispatch(pool, request, options.timeoutMilliseconds),
    destroy: () => pool.destroy(),
  };
}

// Long enough for a segment of its own.
const PAUSE_MILLISECONDS = 25;

async function* inParts(body: string | Uint8Array): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body);
  const half = Math.floor(bytes.length / 2);
  for (const part of [bytes.subarray(0, half), bytes.subarray(half)]) {
    await delay(PAUSE_MILLISECONDS);
    yield part;
  }
}

// A body that trickles on is given up after as many timeouts; a larger one is no list of this service.
const LONGEST_BODY_TIMEOUTS = 3;
const LARGEST_BODY_BYTES = 256 * 1024 * 1024;

function dispatch(pool: Pool, request: WireRequest, timeoutMilliseconds: number): Promise<ResponseMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<ResponseMessage>();
  const chunks: Buffer[] = [];
  let received = 0;
  let waitedMilliseconds = 0;
  let lastAt = performance.now();
  let status = 0;
  let headers: readonly HeaderField[] = [];
  try {
    pool.dispatch(
      {
        path: request.path,
        method: request.method,
        headers: request.headers.flat(),
        body: request.bodyInParts === true ? Readable.from(inParts(request.body ?? '')) : request.body,
      },
      {
        onRequestStart() {},
        onResponseStart(controller, statusCode) {
          lastAt = performance.now();
          status = statusCode;
          headers = readRawHeaders(controller.rawHeaders);
        },
        onResponseData(controller, chunk) {
          chunks.push(chunk);
          received += chunk.length;
          const now = performance.now();
          // A longer gap than the timeout is a pause of this process, which is not the target's.
          waitedMilliseconds += Math.min(now - lastAt, timeoutMilliseconds);
          lastAt = now;
          const isEndless = waitedMilliseconds > LONGEST_BODY_TIMEOUTS * timeoutMilliseconds;
          if (received > LARGEST_BODY_BYTES || isEndless) {
            controller.abort(new TransportError('The body of the response does not end', 'ENDLESS_BODY'));
          }
        },
        onResponseEnd() {
          resolve({ status, headers, body: decode(Buffer.concat(chunks), headers) });
        },
        onResponseError(_controller, error) {
          reject(transportError(error));
        },
      },
    );
  } catch (error) {
    reject(transportError(error));
  }
  return promise;
}

function readRawHeaders(raw: unknown): readonly HeaderField[] {
  if (!Array.isArray(raw)) {
    return [];
  }
  const texts = raw.map((part: unknown) => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part)));
  const fields: HeaderField[] = [];
  for (let index = 0; index + 1 < texts.length; index += 2) {
    fields.push([texts[index] ?? '', (texts[index + 1] ?? '').trim()]);
  }
  return fields;
}

function decode(body: Buffer, headers: readonly HeaderField[]): Buffer {
  const coding = headerValues(headers, 'Content-Encoding')[0]?.toLowerCase();
  try {
    switch (coding) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body);
      case 'deflate':
        return inflateSync(body);
      case 'br':
        return brotliDecompressSync(body);
      default:
        return body;
    }
  } catch {
    // A body that does not decode is judged as it came.
    return body;
  }
}

function transportError(error: unknown): TransportError {
  if (error instanceof TransportError) {
    return error;
  }
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return transportError(error.errors[0]);
  }
  const code = hasCode(error) ? error.code : 'UNKNOWN';
  const message = error instanceof Error && error.message !== '' ? error.message : code;
  if (message === UNASKED_CONTINUE_TO_UNDICI) {
    return new TransportError(
      'there was a 100 Continue that was not asked for, which HTTP permits and this suite can not take',
      UNASKED_CONTINUE,
    );
  }
  return new TransportError(message, code);
}

function hasCode(error: unknown): error is { readonly code: string } {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}
