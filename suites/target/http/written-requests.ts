import type { Socket } from 'node:net';

import type { HeaderField } from '../../../contract/verdict.ts';

/** How a request is written, beside its fields and its body. */
export interface WrittenForm {
  /** Its header section and its body come in two parts each, with a pause between them. */
  readonly inParts?: true;
  /** It is one of HTTP/1.0. */
  readonly isHttp10?: true;
  /** Without one an update has no Content-Length either, as most clients send it. */
  readonly body: string | Uint8Array | null;
  readonly method: string;
}

// Stands before the names of fields that undici would refuse or write itself, until they are on their way.
const MARK = '\r\n~';
const PARTS = 'parts';
const HTTP_10 = 'http10';
const NO_LENGTH = 'no-length';
const OURS: ReadonlySet<string> = new Set([PARTS, HTTP_10, NO_LENGTH]);
const OF_UNDICI = /^(?:expect|transfer-encoding|upgrade)$/i;
const OF_CONNECTION = /^(?:close|keep-alive)$/i;

function isOfUndici(name: string, value: string): boolean {
  return OF_UNDICI.test(name) || (/^connection$/i.test(name) && !OF_CONNECTION.test(value));
}

/** The fields as undici lets them pass; a socket that was told to `speakFreely` writes them as they are. */
export function markFields(
  headers: readonly HeaderField[],
  { inParts, isHttp10, method, body }: WrittenForm,
): readonly HeaderField[] {
  return [
    ...(inParts === true ? [[`~${PARTS}`, ''] as const] : []),
    ...(isHttp10 === true ? [[`~${HTTP_10}`, ''] as const] : []),
    ...(method === 'PATCH' && body === null ? [[`~${NO_LENGTH}`, ''] as const] : []),
    ...headers.map(([name, value]) => [isOfUndici(name, value) ? `~${name}` : name, value] as const),
  ];
}

const HEAD_END = '\r\n\r\n';
// As a hexadecimal digit it is a letter.
const FIRST_CHUNK_BYTES = 0xd;

/** If there is to be a trailer, with extensions and sizes in capitals, too, which any recipient takes (RFC 9112, section 7.1). */
function inChunks(body: string, isLavish: boolean): string {
  const sizeOf = ({ length }: string): string =>
    isLavish ? `${length.toString(16).toUpperCase()};part="1;2"` : length.toString(16);
  return [body.slice(0, FIRST_CHUNK_BYTES), body.slice(FIRST_CHUNK_BYTES)]
    .filter((chunk) => chunk !== '')
    .map((chunk) => `${sizeOf(chunk)}\r\n${chunk}\r\n`)
    .concat(isLavish ? `0\r\nServer-Timing: db;dur=2${HEAD_END}` : `0${HEAD_END}`)
    .join('');
}

function inHalves(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((part) => part !== '');
}

/** A message of undici with marked fields, in the parts in which it goes out; its bytes as Latin-1. */
function partsOf(message: string): readonly string[] {
  const end = message.indexOf(HEAD_END);
  const marks = new Set<string>();
  let head = message
    .slice(0, end)
    .replaceAll(/\r\n~([^:]+)(: ?.*)/g, (_field, name: string, rest: string) => {
      marks.add(name.toLowerCase());
      return OURS.has(name) ? '' : `\r\n${name}${rest}`;
    });
  let body = message.slice(end + HEAD_END.length);
  if (marks.has('connection')) {
    head = head.replace(/\r\nconnection: .*/, '');
  }
  if (marks.has('transfer-encoding') || marks.has(NO_LENGTH)) {
    head = head.replace(/\r\ncontent-length: .*/, '');
  }
  if (marks.has('transfer-encoding')) {
    body = inChunks(body, /\r\ntrailer:/i.test(head));
  }
  if (marks.has(HTTP_10)) {
    head = head.replace('HTTP/1.1', 'HTTP/1.0');
  }
  const whole = head + HEAD_END;
  return marks.has(PARTS) ? [...inHalves(whole), ...inHalves(body)] : [whole + body];
}

type Done = (error?: Error | null) => void;
interface Chunk {
  readonly chunk: unknown;
  readonly encoding: BufferEncoding;
}

function latin1Of({ chunk, encoding }: Chunk): string {
  return Buffer.isBuffer(chunk)
    ? chunk.toString('latin1')
    : Buffer.from(String(chunk), encoding).toString('latin1');
}

function isMarked(chunk: unknown): boolean {
  return typeof chunk === 'string' && chunk.includes(MARK);
}

// Long enough for a segment of its own.
const PAUSE_MILLISECONDS = 25;

const CONTINUE = 'HTTP/1.1 100';

/**
 * Has a socket leave out interim responses 100, which HTTP permits without an Expect, too (RFC 9110, section 15.2), and undici
 * does not.
 * @returns is to be called when a request leaves, whose response they precede
 */
function readPastContinue(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  let mayCome = false;
  let held = '';
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!mayCome || !Buffer.isBuffer(chunk)) {
        return chunk;
      }
      held += chunk.toString('latin1');
      while (held.startsWith(CONTINUE) && held.includes(HEAD_END)) {
        held = held.slice(held.indexOf(HEAD_END) + HEAD_END.length);
      }
      if (!held.startsWith(CONTINUE) && !CONTINUE.startsWith(held)) {
        const others = Buffer.from(held, 'latin1');
        mayCome = false;
        held = '';
        return others;
      }
    }
  };
  return () => {
    mayCome = true;
  };
}

/** Has a socket write marked requests as they are meant, and read what answers them. @param settle what becomes of a write that failed */
export function speakFreely(socket: Socket, settle: (done: Done) => Done): void {
  const write = socket._write.bind(socket);
  const writeAll = socket._writev?.bind(socket);
  const writeParts = ([part = '', ...others]: readonly string[], done: Done): void => {
    write(part, 'latin1', (error) => {
      if (others.length === 0 || error) {
        done(error);
      } else {
        setTimeout(() => writeParts(others, done), PAUSE_MILLISECONDS);
      }
    });
  };
  const leaves = readPastContinue(socket);
  socket._write = (chunk: unknown, encoding, done) => {
    leaves();
    if (isMarked(chunk)) {
      writeParts(partsOf(latin1Of({ chunk, encoding })), settle(done));
    } else {
      write(chunk, encoding, settle(done));
    }
  };
  socket._writev = (chunks, done) => {
    leaves();
    if (isMarked(chunks[0]?.chunk)) {
      writeParts(partsOf(chunks.map(latin1Of).join('')), settle(done));
    } else {
      writeAll?.(chunks, settle(done));
    }
  };
}
