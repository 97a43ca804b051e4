import { isJsonObject, parseIfJson, type JsonValue } from '../../../contract/json/index.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { decodeContent } from '../../target/index.ts';
import { holdsMask } from './masks.ts';

// A recorder that writes JSON anew saves white space; what is shorter by more was cut where that leaves JSON, or stands for it.
const MOST_SPACE = 1.5;
const LONGEST_BODY = 256 * 1024 * 1024;

/**
 * The bytes of a body, without content coding.
 * @param content the `content` of a response or the `postData` of a request in an HTTP Archive
 * @param sizes how many bytes the recorder says that there were
 * @param received how many bytes came in, with whatever framed them; some recorders tell the size of what they kept beside it
 * @returns `undefined` if it was not recorded, or not as a whole, or something stands in the place of its values
 */
export function readRecordedBody(
  content: JsonValue | undefined,
  headers: readonly HeaderField[],
  sizes: readonly (JsonValue | undefined)[],
  received: JsonValue = 0,
): Buffer | undefined {
  if (!isJsonObject(content) || typeof content['text'] !== 'string') {
    return undefined;
  }
  const { text, encoding } = content;
  const [length] = headerValues(headers, 'Content-Length');
  const isCoded = headerValues(headers, 'Content-Encoding').some((value) => !/^\s*identity\s*$/i.test(value));
  const bytes = bytesOf(text, encoding);
  // A proxy that passes a body on as it comes keeps nothing of it, and writes that it was empty.
  if (bytes === undefined || (bytes.length === 0 && Number(length) !== 0)) {
    return undefined;
  }
  if (isJson(bytes)) {
    const json = unquoted(bytes, [...sizes, length]);
    if (json === undefined) {
      return undefined;
    }
    // No part of an object or array is one, whatever size was written.
    const mayBePart = !/^\s*(?:\{\s*"|\[\s*[^\s\]])/.test(json.toString('utf8', 0, 200));
    const isPart =
      mayBePart && sizes.some((size) => Number.isFinite(size) && Number(size) > MOST_SPACE * json.length);
    return isPart || holdsMask(json.toString(), true) ? undefined : json;
  }
  const decode = (coded: Buffer): Buffer | undefined =>
    isCoded || beginsAsGzip(coded) ? withoutCoding(coded, headers) : coded;
  // What has the length that its sender gave was sent like that.
  const body = !isCoded && Number(length) === bytes.length ? bytes : readLeftUndone(bytes, sizes, decode);
  // A part of an object or array is not JSON, so that only such a body can be one that was cut.
  const isCut =
    body !== undefined &&
    !isJson(body) &&
    ([...sizes, isCoded ? 0 : length].some((size) => Number(size) > body.length) ||
      (Number(received) > body.length && /^\s*(?:$|[[{])/.test(body.toString())) ||
      holdsMask(body.toString(), false) ||
      (length === undefined && endsNowhere(body)) ||
      saysCut(content, text));
  return isCut ? undefined : body;
}

/**
 * What a recorder wrote as a JSON string, if its size is that of what the string holds; `undefined` if no size tells whether
 * an object was sent, or a string that holds one.
 */
function unquoted(bytes: Buffer, sizes: readonly (JsonValue | undefined)[]): Buffer | undefined {
  const value = bytes.toString('latin1', 0, 1) === '"' ? parseIfJson(bytes.toString()) : undefined;
  if (typeof value !== 'string') {
    return bytes;
  }
  const content = Buffer.from(value);
  const has = (length: number): boolean => sizes.some((size) => Number(size) === length);
  if (has(content.length)) {
    return content;
  }
  return has(bytes.length) || !isJsonObject(parseIfJson(value)) ? bytes : undefined;
}

function bytesOf(text: string, encoding: JsonValue | undefined): Buffer | undefined {
  const name = typeof encoding === 'string' ? encoding.trim().toLowerCase() : '';
  return name === 'base64'
    ? Buffer.from(text, 'base64')
    : /^(?:|utf-?8|text|plain|identity)$/.test(name)
      ? Buffer.from(text)
      : undefined;
}

/**
 * Reads what the recorder left in chunks, or put into base64 without a word of it; `undefined` if it is a part of such a body,
 * or may have been sent in base64, as it has the size that was recorded.
 */
function readLeftUndone(
  bytes: Buffer,
  sizes: readonly (JsonValue | undefined)[],
  decode: (coded: Buffer) => Buffer | undefined,
): Buffer | undefined {
  const content = withoutChunks(bytes);
  if (content !== undefined) {
    return decode(content);
  }
  const text = bytes.toString('latin1');
  const plain = /^[\w+/\s-]+=*\s*$/.test(text) ? decode(Buffer.from(text, 'base64')) : undefined;
  if (plain !== undefined && isJson(plain)) {
    return sizes.includes(bytes.length) ? undefined : plain;
  }
  const isPart = [text.replace(CHUNK_HEAD, ''), plain?.toString('latin1') ?? ''].some(
    (part) => part !== text && /^\s*(?:\{\s*"|\[\s*\{)/.test(part),
  );
  return isPart ? undefined : decode(bytes);
}

const CHUNK_HEAD = /^([\da-f]{1,8})[ \t]*(?:;[^\n]*)?\r?\n/i;

/** The content of chunks (RFC 9112, section 7.1), or `undefined` if they are none or not whole. */
function withoutChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const [head = '', digits = ''] = CHUNK_HEAD.exec(bytes.toString('latin1', at, at + 200)) ?? [];
    const size = Number.parseInt(digits, 16);
    const from = at + head.length;
    if (Number.isNaN(size) || from + size > bytes.length) {
      return undefined;
    }
    if (size === 0) {
      return Buffer.concat(chunks);
    }
    chunks.push(bytes.subarray(from, from + size));
    at =
      from + size + (/^\r?\n/.exec(bytes.toString('latin1', from + size, from + size + 2))?.[0].length ?? 0);
  }
}

function isJson(body: Buffer): boolean {
  return parseIfJson(body.toString()) !== undefined;
}

function beginsAsGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Undoes what the recorder left undone; `undefined` if it cannot be undone. */
function withoutCoding(bytes: Buffer, headers: readonly HeaderField[]): Buffer | undefined {
  const codings: readonly HeaderField[] = beginsAsGzip(bytes) ? [['Content-Encoding', 'gzip']] : headers;
  const decoded = decodeContent(bytes, codings, LONGEST_BODY) ?? undefined;
  return decoded === bytes && !isReadable(bytes.toString()) ? undefined : decoded;
}

/** Whether that can be text, and not compressed bytes that were taken for text. */
function isReadable(text: string): boolean {
  return !/[\p{Cc}\uFFFD]/u.test(text.replaceAll(/[\t\n\r]/g, '')) && !text.startsWith('H4sI');
}

/** Whether it begins as an object or array of some length, and does not end as one: where its sender gave no length, a recorder may have cut it. */
function endsNowhere(body: Buffer): boolean {
  return /^\s*(?:\{\s*"|\[\s*\{)[^]*[^\s\]}]\s*$/.test(body.toString());
}

/** Whether a recorder notes that it left a part out, beside the text or at its end. */
function saysCut(content: JsonValue & object, text: string): boolean {
  const notes = Object.entries(content).some(
    ([name, value]) =>
      (/truncat/i.test(name) && Boolean(value)) ||
      (name === 'comment' && typeof value === 'string' && /truncat|not included/i.test(value)),
  );
  return (
    notes || /(?:\u2026|\.{3}|[[(<][^\])>]*(?:omitted|redacted|truncated)[^\])>]*[\])>])\s*$/i.test(text)
  );
}
