import { STATUS_CODES } from 'node:http';
import type { HeaderField, RecordedExchange } from '../../contract/verdict.ts';
import { printableBlock, printableLine } from './printable.ts';

/** The recorded request as an HTTP message, safe to show; the body is cut after `limit` characters. */
export function requestText({ request }: RecordedExchange, limit: number): string {
  const start = `${printableLine(request.method)} ${printableLine(request.url)}`;
  return message(start, request.headers, printableBlock(request.body ?? '', limit));
}

/** The recorded response as an HTTP message, safe to show, or a line that says that there was none. */
export function responseText({ response }: RecordedExchange, limit: number): string {
  if (response === null) {
    return 'no response';
  }
  const start = `${response.status} ${STATUS_CODES[response.status] ?? ''}`.trimEnd();
  const recorded = Buffer.byteLength(response.body);
  const cut = response.bodyBytes > recorded ? `\n(the whole body has ${response.bodyBytes} bytes)` : '';
  return message(start, response.headers, printableBlock(response.body, limit) + cut);
}

function message(start: string, headers: readonly HeaderField[], body: string): string {
  const fields = headers.map(([name, value]) => `${printableLine(name)}: ${printableLine(value)}`);
  return [start, ...fields, ...(body === '' ? [] : ['', body])].join('\n');
}
