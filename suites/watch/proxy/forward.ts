import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream';
import type { HeaderField } from '../../../contract/verdict.ts';
import { keepBody, LONGEST_KEPT_REQUEST, LONGEST_KEPT_RESPONSE } from './kept-body.ts';

/** Where requests are sent on to. */
export interface Upstream {
  /** `http:` or `https:` */
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  /** What the Host field says there; `null` keeps what the client said. */
  readonly host: string | null;
  readonly agent: http.Agent | https.Agent;
}

/** One exchange that passed; moments are Unix milliseconds. */
export interface PassedExchange {
  readonly method: string;
  /** As it stood in the request line. */
  readonly target: string;
  readonly requestHeaders: readonly HeaderField[];
  /** `undefined` if it was too long to be kept. */
  readonly requestBody: Buffer | undefined;
  /** When the last byte of the request was passed on: no server can act on a body before it has it. */
  readonly sentAt: number;
  /** `null` if none came, or not to its end. */
  readonly response: {
    readonly status: number;
    readonly headers: readonly HeaderField[];
    /** As it passed, with its content coding; `undefined` if it was too long to be kept. */
    readonly body: Buffer | undefined;
  } | null;
  readonly endedAt: number;
}

/** Is told of each exchange that is recorded. */
export interface PassingListener {
  /** The request has been passed on. @returns takes the whole exchange, once */
  readonly onRequest: (request: PassedRequest) => (exchange: PassedExchange) => void;
}

export type PassedRequest = Pick<
  PassedExchange,
  'method' | 'target' | 'requestHeaders' | 'requestBody' | 'sentAt'
>;

/** Passes a request on, and its response back, as they come in; `record` is `null` if nothing of it is recorded. */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Upstream,
  now: () => number,
  record: PassingListener | null,
): void {
  const outgoing = openUpstream(request, upstream);
  const recording = record === null ? null : recordPassing(request, record, now);
  outgoing.on('continue', () => response.writeContinue());
  outgoing.on('response', (incoming) => {
    response.sendDate = false;
    response.writeHead(
      incoming.statusCode ?? 502,
      incoming.statusMessage ?? '',
      endToEnd(incoming.rawHeaders).flat(),
    );
    recording?.answered(incoming);
    pipeline(incoming, response, (error) => {
      if (error) {
        // What was begun cannot be taken back: the client sees that it was cut off, as it was here.
        response.destroy();
      }
      recording?.ended(error === undefined || error === null);
    });
    incoming.on('end', () => {
      if (incoming.rawTrailers.length > 0) {
        response.addTrailers(
          pairs(incoming.rawTrailers).map(([name, value]): [string, string] => [name, value]),
        );
      }
    });
  });
  outgoing.on('error', (error) => {
    recording?.ended(false);
    if (response.headersSent) {
      response.destroy();
    } else {
      refuse(response, 502, `The upstream did not answer: ${error.message}`);
    }
  });
  response.on('close', () => {
    if (!response.writableFinished) {
      outgoing.destroy();
    }
  });
  request.pipe(outgoing);
  request.on('error', () => outgoing.destroy());
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
    headers: headersFor(request.rawHeaders, host),
    setDefaultHeaders: false,
  });
}

// They speak of one connection, and each side of the proxy has its own (RFC 9110, section 7.6.1).
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade'];
// The body passes in the framing that it came in, whatever Connection says.
const FRAMING = new Set(['content-length', 'host', 'trailer', 'transfer-encoding']);

/** The fields as they came, but for those of the connection, and those that Connection names. */
function endToEnd(raw: readonly string[]): readonly HeaderField[] {
  const fields = pairs(raw);
  const named = fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((name) => name.trim()),
    )
    .filter((name) => !FRAMING.has(name));
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return fields.filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** What goes on to the upstream: Host names it, unless it is kept. */
function headersFor(raw: readonly string[], host: string | null): string[] {
  return endToEnd(raw).flatMap(([name, value]) => [
    name,
    name.toLowerCase() === 'host' && host !== null ? host : value,
  ]);
}

/** Names and values in turn, as `node:http` gives them, as fields. */
function pairs(raw: readonly string[]): readonly HeaderField[] {
  return Array.from({ length: raw.length / 2 }, (_, index): HeaderField => [
    raw[2 * index] ?? '',
    raw[2 * index + 1] ?? '',
  ]);
}

/** Answers in the proxy's own name. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Via: '1.1 stockcheck' });
  response.end(`${message}\n`);
}

function recordPassing(request: IncomingMessage, listener: PassingListener, now: () => number) {
  const requestBody = keepBody(LONGEST_KEPT_REQUEST);
  const responseBody = keepBody(LONGEST_KEPT_RESPONSE);
  let incoming: IncomingMessage | null = null;
  let take: ((exchange: PassedExchange) => void) | null = null;
  let passed: PassedRequest | null = null;
  const requestPassed = (isWhole: boolean): PassedRequest => {
    if (passed === null) {
      passed = {
        method: request.method ?? 'GET',
        target: request.url ?? '/',
        requestHeaders: pairs(request.rawHeaders),
        requestBody: isWhole ? requestBody.bytes() : undefined,
        sentAt: now(),
      };
      take = listener.onRequest(passed);
    }
    return passed;
  };
  request.on('data', requestBody.add);
  request.on('end', () => requestPassed(true));
  return {
    answered: (message: IncomingMessage): void => {
      incoming = message;
      message.on('data', responseBody.add);
    },
    ended: (isWhole: boolean): void => {
      // A response may end before the request does.
      const before = requestPassed(false);
      const response =
        isWhole && incoming !== null
          ? {
              status: incoming.statusCode ?? 0,
              headers: pairs(incoming.rawHeaders),
              body: responseBody.bytes(),
            }
          : null;
      take?.({ ...before, response, endedAt: now() });
      take = null;
    },
  };
}
