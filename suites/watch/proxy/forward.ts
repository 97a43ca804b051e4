import http, {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingMessage,
  type ServerResponse,
} from 'node:http';
import https from 'node:https';

import { messageOf } from '../../../contract/error-text.ts';
import { fieldsOf } from '../../../contract/field-names.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { decodeContent, LARGEST_HEADER_BYTES, type unreadableBody } from '../../target/index.ts';

/** Where requests are sent on to. */
export interface Upstream {
  /** `http:` or `https:` */
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  /** What the Host field says there; `null` keeps what the client said. */
  readonly host: string | null;
  readonly agent: http.Agent | https.Agent;
  /** It did not begin to answer a request, for this reason. @returns what to tell the client */
  readonly unanswered: (reason: string) => string;
}

/** The head of a request that is passed on; its moment is in Unix milliseconds. */
export interface PassedRequest {
  readonly method: string;
  /** As it stood in the request line. */
  readonly target: string;
  readonly headers: readonly HeaderField[];
  /** When it began to be passed on: a server may count a request before it has the body. */
  readonly sentAt: number;
}

export interface PassedResponse {
  readonly status: number;
  readonly headers: readonly HeaderField[];
  /** As it passed, with its content coding; `undefined` if it was too long to be kept. */
  readonly body: Buffer | undefined;
}

/** Is told of a request that is passed on and is recorded. */
export type PassingListener = (request: PassedRequest) => PassingExchange;

/** Takes the rest of an exchange, each part once. */
interface PassingExchange {
  /** `undefined` if it was too long to be kept, or did not pass whole. */
  readonly bodyPassed: (body: Buffer | undefined) => void;
  /** @param response `null` if none came, or not to its end */
  readonly ended: (response: PassedResponse | null, endedAt: number) => void;
}

/** Passes a request on, and its response back, as they come in; `recording` is `null` if nothing of it is recorded. */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Upstream,
  recording: ReturnType<typeof recordPassing> | null,
): void {
  const outgoing = openUpstream(request, upstream);
  outgoing.on('continue', () => response.writeContinue());
  outgoing.on('information', ({ statusCode, rawHeaders }) => {
    // HTTP/1.0 has none (RFC 9110, section 15.2).
    if (statusCode !== 100 && request.httpVersion !== '1.0') {
      response.writeInformation(statusCode, endToEnd(rawHeaders, null));
    }
  });
  outgoing.on('response', (incoming) => {
    response.sendDate = false;
    const fields = endToEnd(incoming.rawHeaders, null);
    response.writeHead(
      incoming.statusCode ?? 502,
      incoming.statusMessage ?? '',
      request.httpVersion === '1.0' ? withoutChunks(fields) : fields,
    );
    recording?.answered(incoming);
    pipe(incoming, response);
    incoming.on('end', () => recording?.ended(incoming.complete));
    incoming.on('error', () => {
      // What was begun cannot be taken back: the client sees that it was cut off, as it was here.
      response.destroy();
      recording?.ended(false);
    });
  });
  outgoing.on('error', (error) => {
    recording?.ended(false);
    if (response.headersSent) {
      response.destroy();
    } else if (!response.destroyed) {
      refuse(response, 502, upstream.unanswered(messageOf(error)));
    }
  });
  response.on('close', () => {
    if (!response.writableFinished) {
      outgoing.destroy();
      recording?.ended(false);
    }
  });
  pipe(request, outgoing);
  request.on('error', () => outgoing.destroy());
}

/** Passes a body on, and the trailers behind it. */
function pipe(from: IncomingMessage, to: OutgoingMessage): void {
  // Before the listener of `pipe`, which ends the message.
  from.on('end', () => {
    to.addTrailers(fieldsOf(from.rawTrailers).map(([name, value]): [string, string] => [name, value]));
  });
  // Not `pipeline`, which makes and throws away an error for each stream that ends well.
  from.pipe(to);
}

function openUpstream(request: IncomingMessage, upstream: Upstream): ClientRequest {
  const { protocol, hostname, port, host, agent } = upstream;
  const send = protocol === 'https:' ? https.request : http.request;
  return send({
    hostname,
    port,
    agent,
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    // A client of HTTP/1.0 may have sent none, and what is passed on is HTTP/1.1, which needs it.
    headers: [
      ...(request.headers.host === undefined && host !== null ? ['Host', host] : []),
      ...endToEnd(request.rawHeaders, host),
    ],
    maxHeaderSize: LARGEST_HEADER_BYTES,
    setDefaultHeaders: false,
  });
}

// They speak of one connection, and each side of the proxy has its own (RFC 9110, section 7.6.1).
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
]);
// The body passes in the framing that it came in, whatever Connection says.
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'host', 'trailer', 'transfer-encoding']);

/**
 * The fields as they came, names and values in turn, but for those of the connection, and those that Connection names.
 * @param host what Host says from now on; `null` keeps it
 */
function endToEnd(raw: readonly string[], host: string | null): string[] {
  const fields = fieldsOf(raw);
  const named = fields
    .filter(([name]) => /^connection$/i.test(name))
    .flatMap(([, value]) => value.toLowerCase().split(','));
  const left = HOP_BY_HOP.union(new Set(named.map((name) => name.trim())).difference(FRAMING));
  return fields.flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    return left.has(lower) ? [] : [name, lower === 'host' && host !== null ? host : value];
  });
}

/** HTTP/1.0 knows no chunks: there the end of the connection ends a body (RFC 9112, section 6.1). */
function withoutChunks(fields: readonly string[]): string[] {
  return fieldsOf(fields).flatMap((field) => (/^(transfer-encoding|trailer)$/i.test(field[0]) ? [] : field));
}

/** Answers in the proxy's own name. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Via: '1.1 stockcheck' });
  response.end(`${message}\n`);
}

// What is longer passes, and is not judged: an update is short, a list may be long.
const LONGEST_KEPT_REQUEST = 64 * 1024;
const LONGEST_KEPT_RESPONSE = 1024 * 1024;

/** Keeps what passes by. @param longest up to how many bytes */
function keepBody(longest: number) {
  let chunks: Buffer[] = [];
  let length = 0;
  return {
    add: (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= longest) {
        chunks.push(chunk);
      } else {
        chunks = [];
      }
    },
    /** `undefined` if there were too many. */
    bytes: (): Buffer | undefined => (length > longest ? undefined : Buffer.concat(chunks)),
  };
}

/** A body without its content coding, or `undefined` if that makes it too long. @param misnamed what stands for one that is not in it */
export function decodeKept(
  body: Buffer | undefined,
  headers: readonly HeaderField[],
  misnamed?: typeof unreadableBody,
): Buffer | undefined {
  return body && (decodeContent(body, headers, LONGEST_KEPT_RESPONSE, misnamed?.(body)) ?? undefined);
}

/** Records a request that is about to be passed on; is told when its response begins and ends. */
export function recordPassing(request: IncomingMessage, listener: PassingListener) {
  const requestBody = keepBody(LONGEST_KEPT_REQUEST);
  const responseBody = keepBody(LONGEST_KEPT_RESPONSE);
  let incoming: IncomingMessage | null = null;
  const passing = listener({
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers: fieldsOf(request.rawHeaders),
    sentAt: Date.now(),
  });
  let hasPassed = false;
  const bodyPassed = (isWhole: boolean): void => {
    if (!hasPassed) {
      hasPassed = true;
      passing.bodyPassed(isWhole ? requestBody.bytes() : undefined);
    }
  };
  let hasEnded = false;
  request.on('data', requestBody.add);
  request.on('end', () => bodyPassed(true));
  return {
    answered: (message: IncomingMessage): void => {
      incoming = message;
      message.on('data', responseBody.add);
    },
    ended: (isWhole: boolean): void => {
      if (hasEnded) {
        return;
      }
      hasEnded = true;
      const response =
        isWhole && incoming !== null
          ? {
              status: incoming.statusCode ?? 0,
              headers: fieldsOf(incoming.rawHeaders),
              body: responseBody.bytes(),
            }
          : null;
      // A response may end before the request does.
      bodyPassed(false);
      passing.ended(response, Date.now());
    },
  };
}
