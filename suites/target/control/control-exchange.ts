import { Agent, request } from 'undici';
import { stringifyJson, type JsonValue } from '../../../contract/json/index.ts';
import { LARGEST_HEADER_BYTES } from '../http/http-transport.ts';
import { startWatchdog } from '../http/watchdog.ts';

/** What a control URL answered, with the moments between which it did (monotonic milliseconds). */
export interface ControlAnswer {
  readonly status: number;
  readonly text: string;
  readonly sentAt: number;
  readonly receivedAt: number;
}

export interface ControlCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly body?: JsonValue;
}

// Every answer of the control contract takes less than a hundred bytes.
const LONGEST_ANSWER_BYTES = 1024 * 1024;

const CONNECTIONS = new Agent({ maxHeaderSize: LARGEST_HEADER_BYTES });

/**
 * Calls a control URL once.
 * @throws {Error} if the whole answer does not come within the timeout, or is longer than 1 MB
 */
export async function callControl(
  { method, url, body }: ControlCall,
  timeoutMilliseconds: number,
): Promise<ControlAnswer> {
  const sentAt = performance.now();
  const controller = new AbortController();
  const watchdog = startWatchdog(timeoutMilliseconds, () =>
    controller.abort(new Error(`no whole answer within ${timeoutMilliseconds / 1000} s`)),
  );
  try {
    const response = await request(url, {
      dispatcher: CONNECTIONS,
      method,
      signal: controller.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(body === undefined
        ? {}
        : { body: stringifyJson(body), headers: { 'content-type': 'application/json' } }),
    });
    const chunks: Buffer[] = [];
    let received = 0;
    for await (const chunk of response.body) {
      const bytes: Buffer = chunk;
      received += bytes.length;
      if (received > LONGEST_ANSWER_BYTES) {
        throw new Error(`its answer is longer than ${LONGEST_ANSWER_BYTES} bytes`);
      }
      chunks.push(bytes);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    return { status: response.statusCode, text, sentAt, receivedAt: performance.now() };
  } finally {
    watchdog.stop();
  }
}
