import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import type { Alteration } from '../alterations/alteration.ts';
import { everyNth, stateOfEach } from '../alterations/requests.ts';
import { spellResponses } from '../alterations/spellings.ts';
import { changeEveryResponse, changeResponses, handleRequests, withBody } from '../alterations/responses.ts';
import {
  headerOf,
  withHeader,
  withoutHeader,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from '../service/messages.ts';
import { permitting } from './variant.ts';

/** @param start called once for each server; returns what its clock makes of the time */
function clock(start: () => (now: number) => number): Alteration {
  return {
    parts: (parts) => {
      const tell = start();
      return { clock: { now: () => tell(parts.clock.now()) } };
    },
  };
}

const HOUR_SECONDS = 3_600;

/** Moves with the control clock only. */
function standStill(now: number): number {
  return now - performance.now() / 1_000;
}

/** Adds no fractions smaller than a millisecond, and never runs backwards. */
function inMilliseconds(tell: (now: number) => number): (now: number) => number {
  let latest = Number.NEGATIVE_INFINITY;
  return (now) => {
    latest = Math.max(latest, Math.round(tell(now) * 1_000) / 1_000);
    return latest;
  };
}

// What is less is real time that passes meanwhile.
const LEAST_MOVE_SECONDS = 0.001;

/** Falls behind with each move, as a clock does that stands still while a move is carried out. */
function losingAtMoves(seconds: number): (now: number) => number {
  let before: number | undefined;
  let lost = 0;
  return inMilliseconds((now) => {
    const moved = standStill(now);
    lost += moved - (before ?? moved) > LEAST_MOVE_SECONDS ? seconds : 0;
    before = moved;
    return now - lost;
  });
}

/** Passes by that factor faster than real time. */
function goingBy(factor: number): (now: number) => number {
  const began = performance.now();
  return (now) => now + ((factor - 1) * (performance.now() - began)) / 1_000;
}

function closingAfter(most: number): Alteration {
  const isLast = everyNth(most);
  return changeResponses((response, { connection }) =>
    isLast(connection) ? withHeader(response, 'Connection', 'close') : response,
  );
}

// Made by what met the request on its way: nobody knows yet what would have been answered.
const IDLE_TIMEOUT = { status: 408, headers: ['Content-Length', '0', 'Connection', 'close'], body: '' };

/** Closes an idle connection with an answer that crosses the next request (RFC 9110, section 15.5.9). */
function timingOutAfter(milliseconds: number): Alteration {
  const stateOf = stateOfEach(() => ({ answeredAt: Number.POSITIVE_INFINITY }));
  return handleRequests(async (request, service) => {
    const state = stateOf(request.connection);
    const isLate = performance.now() - state.answeredAt > milliseconds;
    const response = isLate ? IDLE_TIMEOUT : await service.respond(request);
    state.answeredAt = performance.now();
    return response;
  });
}

const CODERS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
} satisfies Readonly<Record<string, (content: Uint8Array) => Buffer>>;

type ContentCoding = keyof typeof CODERS;

/** Whether a request allows a coding by name, or any, for which gzip is taken; a weight of 0 forbids it (RFC 9110, section 12.5.3). */
function allowsCoding(coding: ContentCoding, headers: readonly string[]): boolean {
  const accepted = headers.filter(
    (_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === 'accept-encoding',
  );
  const parts = accepted.join(',').toLowerCase().split(',');
  const named = (name: string) => parts.find((part) => part.split(';')[0]?.trim() === name);
  const said = named(coding) ?? (coding === 'gzip' ? named('*') : undefined);
  return said !== undefined && !/;\s*q=0(?:\.0*)?\s*$/.test(said);
}

/** Codes contents for those who ask for that coding. @param spelled how its name is written in the answer */
export function codeWhereAllowed(coding: ContentCoding, spelled: string = coding): Alteration {
  return changeEveryResponse((response, request) => {
    const { body } = response;
    const isCoded =
      request !== undefined &&
      allowsCoding(coding, request.headers) &&
      body.length > 0 &&
      headerOf(response, 'Content-Encoding') === undefined;
    const { headers, ...rest } = isCoded
      ? withHeader(withBody(response, CODERS[coding](Buffer.from(body))), 'Content-Encoding', spelled)
      : response;
    return { ...rest, headers: [...headers, 'Vary', 'Accept-Encoding'] };
  });
}

/** Delays responses, after they were decided on. @param start called once for each server; milliseconds */
function answerLate(start: () => (request: ServiceRequest) => number): Alteration {
  return {
    service: (service) => {
      const delayOf = start();
      return {
        ...service,
        respond: (request) => {
          const milliseconds = delayOf(request);
          return milliseconds > 0 ? later(service.respond(request), milliseconds) : service.respond(request);
        },
      };
    },
  };
}

async function later(
  response: ServiceResponse | Promise<ServiceResponse>,
  milliseconds: number,
): Promise<ServiceResponse> {
  await sleep(milliseconds);
  return response;
}

/** Delays requests, before they are decided on. */
function decideLate(milliseconds: number): Alteration {
  return handleRequests(async (request, service) => {
    await sleep(milliseconds);
    return service.respond(request);
  });
}

/** Decides on one request at a time, in the order of their arrival. */
function oneAtATime(service: Service): Service {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...service,
    respond: (request) => {
      const response = last.then(() => service.respond(request));
      last = response.catch(() => undefined);
      return response;
    },
  };
}

/** Has every response come so much later. */
function constantDelay(milliseconds: number): Alteration {
  return answerLate(() => () => milliseconds);
}

function jitter(milliseconds: number): Alteration {
  return answerLate(() => () => Math.random() * milliseconds);
}

/** Every other request is overtaken by the one after it. */
function overtaken(): (request: ServiceRequest) => number {
  let requests = 0;
  return () => {
    requests += 1;
    return requests % 2 === 0 ? 0 : 8;
  };
}

export const TRANSPORT_VARIANTS = permitting({
  connections: {
    'connection-closed-after-each-response': ['Each response closes its connection', closingAfter(1)],
    'connection-closed-after-seven-responses': [
      'Each connection is closed after seven responses',
      closingAfter(7),
    ],
    'connection-closed-after-each-refusal': [
      'Each response but 200 closes its connection',
      changeResponses((response) =>
        response.status === 200 ? response : withHeader(response, 'Connection', 'close'),
      ),
    ],
    'idle-connections-closed-at-once': [
      'A connection is closed after 20 milliseconds without a request',
      { options: (options) => ({ ...options, keepAliveMilliseconds: 20 }) },
    ],
    'idle-connections-closed-soon': [
      'A connection is closed after a second without a request',
      { options: (options) => ({ ...options, keepAliveMilliseconds: 1_000 }) },
    ],
    'idle-connections-answered-408': [
      'A connection without a request for 100 milliseconds is answered 408 and closed',
      timingOutAfter(100),
    ],
  },
  framing: {
    // The edge frames content without a length in chunks.
    chunked: [
      'Contents are sent in chunks, without Content-Length',
      changeResponses((response) => withoutHeader(response, 'Content-Length')),
    ],
    'chunk-extensions-and-trailer': [
      'Contents are sent in chunks with extensions and a trailer',
      spellResponses('chunk-extensions-and-trailer'),
    ],
    'chunk-sizes-in-capitals': [
      'Contents are sent in chunks whose sizes are in capital letters, with zeros before them',
      spellResponses('chunk-sizes-in-capitals'),
    ],
    'header-in-small-packets': [
      'The header section comes in small packets',
      spellResponses('header-in-small-packets'),
    ],
    'early-hints': ['A response 103 comes before each response', spellResponses('early-hints')],
  },
  'reason phrase': {
    'no-reason-phrase': ['The reason phrase is empty', spellResponses('no-reason-phrase')],
    'another-reason-phrase': ['The reason phrase is another', spellResponses('another-reason-phrase')],
  },
  'white space around values': {
    'no-space-after-colon': ['No space stands before header values', spellResponses('no-space-after-colon')],
    'white-space-around-values': [
      'White space stands before and behind header values',
      spellResponses('white-space-around-values'),
    ],
  },
  'content coding': {
    gzip: ['Contents are compressed with gzip if the client accepts it', codeWhereAllowed('gzip')],
  },
  latency: {
    'late-decisions': ['Requests are decided on five milliseconds after they arrive', decideLate(5)],
    'responses-out-of-order': ['Responses overtake each other', answerLate(overtaken)],
    'one-request-at-a-time': ['Requests are served one at a time', { service: oneAtATime }],
    'slow-150-milliseconds': ['Responses come 150 milliseconds late', constantDelay(150), { isSlow: true }],
    'slow-jitter': ['Responses come up to 150 milliseconds late, at random', jitter(150), { isSlow: true }],
  },
  clock: {
    'clock-five-hours-ahead': ['The clock is five hours ahead', clock(() => (now) => now + 5 * HOUR_SECONDS)],
    'clock-a-minute-behind': ['The clock is 61.5 seconds behind', clock(() => (now) => now - 61.5)],
    'clock-that-stands-still': [
      'The clock moves only when the control contract moves it',
      clock(() => inMilliseconds(standStill)),
      { onlyWithControl: true },
    ],
    'clock-of-whole-seconds': ['The clock has whole seconds only', clock(() => Math.floor)],
    'control-clock-loses-20-ms': [
      'The clock falls behind by 20 milliseconds each time it is moved',
      clock(() => losingAtMoves(0.02)),
    ],
    'clock-loses-two-percent': [
      'The clock loses two percent of real time',
      clock(() => goingBy(0.98)),
      { onlyWithControl: true },
    ],
    'clock-gains-two-percent': ['The clock gains two percent of real time', clock(() => goingBy(1.02))],
  },
});
