import { headerOf, withHeader, type ServiceResponse } from '../service/messages.ts';
import { combine, type Alteration } from './alteration.ts';
import { changeResponses } from './responses.ts';

type Spelling = NonNullable<ServiceResponse['spell']>;

/** A message in parts: its first line, its header fields, and its content. */
interface Parts {
  readonly status: string;
  readonly fields: readonly string[];
  readonly content: Buffer;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /^content-length:/i;
const ABOUT_THE_MESSAGE = /^(?:content-length|transfer-encoding|connection|keep-alive):/i;

function read(message: Buffer): Parts {
  const end = message.indexOf(HEAD_END);
  const [status = '', ...fields] = message.toString('latin1', 0, end).split('\r\n');
  return { status, fields, content: message.subarray(end + HEAD_END.length) };
}

function write({ status, fields, content }: Parts): Buffer {
  return Buffer.concat([Buffer.from([status, ...fields].join('\r\n') + HEAD_END, 'latin1'), content]);
}

function changing(change: (parts: Parts) => Partial<Parts>): Spelling {
  return (message) => {
    const parts = read(message);
    return [write({ ...parts, ...change(parts) })];
  };
}

function changingFields(change: (field: string) => string): Spelling {
  return changing(({ fields }) => ({ fields: fields.map(change) }));
}

function changingReason(reason: string): Spelling {
  return changing(({ status }) => ({ status: status.replace(/(?<=^\S+ \d+ ).*/, reason) }));
}

/** HTTP/1.0 knows neither chunks (RFC 9112, section 6.1) nor 1xx (RFC 9110, section 15.2). */
function sinceHttp11(spell: Spelling): Spelling {
  return (message, minor) => (minor === 0 ? [message] : spell(message, minor));
}

const CHUNKS = 4;
/** A digit that is a letter. */
const FIRST_CHUNK_BYTES = 0xd;

/** In small letters if the other field is. */
function chunkedLike(field: string): string {
  return field.startsWith('content') ? 'transfer-encoding: chunked' : 'Transfer-Encoding: chunked';
}

/** A short piece, some of about the same length, and a cut in every character that UTF-8 writes in several bytes. */
function chunksOf(content: Buffer): readonly Buffer[] {
  const length = Math.ceil(content.length / CHUNKS);
  const cuts = [...content.keys()].filter(
    (at) => at === FIRST_CHUNK_BYTES || at % length === 0 || isContinuation(content[at]),
  );
  return cuts.map((at, index) => content.subarray(at, cuts[index + 1]));
}

function isContinuation(byte = 0): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

/** @param sizeOf writes the size of a chunk, or what stands for it */
function inChunks(sizeOf: (digits: string) => string, trailer?: string): Spelling {
  const spell = changing(({ fields, content }) => ({
    fields: [
      ...fields.map((field) => (LENGTH.test(field) ? chunkedLike(field) : field)),
      ...(trailer === undefined ? [] : [`Trailer: ${trailer.split(':')[0]}`]),
    ],
    content: Buffer.concat([
      ...chunksOf(content).flatMap((chunk) => [
        Buffer.from(`${sizeOf(chunk.length.toString(16))}\r\n`),
        chunk,
        Buffer.from('\r\n'),
      ]),
      Buffer.from(`${sizeOf('0')}\r\n${trailer === undefined ? '' : `${trailer}\r\n`}\r\n`),
    ]),
  }));
  return sinceHttp11(spell);
}

function cutAfter(ends: (at: number, message: Buffer) => boolean): Spelling {
  return (message) => {
    const cuts = [0, ...[...message.keys()].filter((at) => at > 0 && ends(at, message)), message.length];
    return cuts.slice(1).map((to, index) => message.subarray(cuts[index], to));
  };
}

const EARLY_HINTS = Buffer.from(`HTTP/1.1 103 Early Hints\r\nLink: </v1>; rel=preload${HEAD_END}`);
const PACKET_BYTES = 24;
// More of them would keep a long header section on its way for seconds.
const MOST_SMALL_PACKETS = 40;
const CR = 0x0d;
const MISSING_BYTES = 64;

/** Ways to write a response that node has not; those that cut it take some milliseconds. HTTP permits all but the last. */
const SPELLINGS = {
  'in-chunks': inChunks((digits) => digits),
  'chunk-extensions-and-trailer': inChunks((digits) => `${digits};part;of="a;b"`, 'Server-Timing: db;dur=2'),
  'chunk-sizes-in-capitals': inChunks((digits) => digits.toUpperCase().padStart(4, '0')),
  'no-space-after-colon': changingFields((field) => field.replace(': ', ':')),
  'no-reason-phrase': changingReason(''),
  'another-reason-phrase': changingReason('Here You Are'),
  'header-names-in-mixed-case': changingFields((field) =>
    field.replace(/^[^:]+/, (name) =>
      name.toLowerCase().replaceAll(/(?<=^.(?:..)*)./g, (letter) => letter.toUpperCase()),
    ),
  ),
  'header-in-small-packets': cutAfter(
    (at, message) =>
      at % PACKET_BYTES === 0 && at <= MOST_SMALL_PACKETS * PACKET_BYTES && at < message.indexOf(HEAD_END),
  ),
  'cut-within-line-ends': cutAfter((at, message) => message[at - 1] === CR || isContinuation(message[at])),
  'early-hints': sinceHttp11((message) => [EARLY_HINTS, message]),
  'informational-responses': sinceHttp11((message) => [
    Buffer.from(`HTTP/1.1 100 Continue${HEAD_END}`),
    EARLY_HINTS,
    message,
  ]),
  'white-space-around-values': changingFields((field) =>
    ABOUT_THE_MESSAGE.test(field) ? field : `${field.replace(': ', ':\t \t')} \t`,
  ),
  'ends-with-connection': changing(({ fields }) => ({
    fields: fields.filter((field) => !LENGTH.test(field)),
  })),
  // What comes looks whole, so that only its length tells.
  'breaks-off': changingFields((field) =>
    LENGTH.test(field) ? field.replace(/\d+/, (length) => `${Number(length) + MISSING_BYTES}`) : field,
  ),
} satisfies Readonly<Record<string, Spelling>>;

type SpellingName = keyof typeof SPELLINGS;

/** Has responses with content or an explicit lack of it written so. */
export function spellResponses(name: SpellingName): Alteration {
  const spell = SPELLINGS[name];
  const spelling = changeResponses((response, { method }) =>
    method === 'HEAD' || headerOf(response, 'Content-Length') === undefined
      ? response
      : { ...response, spell },
  );
  return name === 'ends-with-connection' || name === 'breaks-off'
    ? combine(
        spelling,
        changeResponses((response) => withHeader(response, 'Connection', 'close')),
      )
    : spelling;
}
