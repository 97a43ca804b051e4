import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

import type { ServiceResponse } from '../service/messages.ts';

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
