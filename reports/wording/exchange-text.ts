import { STATUS_CODES } from 'node:http';
import type { HeaderField, RecordedExchange } from '../../contract/verdict.ts';
import { printableBlock, printableLine } from './printable.ts';

/** The parts of an HTTP message as it was recorded. */
export interface MessageParts {
  /** Method and URL, or status and reason. */
  readonly start: string;
  readonly headers: readonly HeaderField[];
  readonly body: string;
  /** Set if more of the body came than was recorded. */
  readonly note?: string;
}

/** The recorded request in its parts. */
export function requestParts({ request }: RecordedExchange): MessageParts {
  const { method, url, headers, body } = request;
  return { start: `${method} ${url}`, headers, body: body ?? '' };
}

/** The recorded response in its parts; `null` if there was none. */
export function responseParts({ response }: RecordedExchange): MessageParts | null {
  if (response === null) {
    return null;
  }
  const { status, headers, body, bodyBytes } = response;
  const start = `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  const note = bodyBytes > Buffer.byteLength(body) ? { note: `(the whole body has ${bodyBytes} bytes)` } : {};
  return { start, headers, body, ...note };
}

/** The recorded request as an HTTP message, safe to show; the body is cut after `limit` characters. */
export function requestText(exchange: RecordedExchange, limit: number): string {
  return messageText(requestParts(exchange), limit);
}

/** The recorded response as an HTTP message, safe to show, or a line that says that there was none. */
export function responseText(exchange: RecordedExchange, limit: number): string {
  const parts = responseParts(exchange);
  return parts === null ? 'no response' : messageText(parts, limit);
}

/** A header field in a line, safe to show. */
export function fieldText([name, value]: HeaderField): string {
  return `${printableLine(name)}: ${printableLine(value)}`;
}

function messageText({ start, headers, body, note }: MessageParts, limit: number): string {
  const shown = [printableBlock(body, limit), ...(note === undefined ? [] : [note])].filter(
    (text) => text !== '',
  );
  const rest = shown.length === 0 ? [] : ['', ...shown];
  return [printableLine(start), ...headers.map(fieldText), ...rest].join('\n');
}
