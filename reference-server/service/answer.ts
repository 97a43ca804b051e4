import type { ErrorBody } from '../../contract/inventory.ts';
import type { Representation } from './representation.ts';

/** What an operation answers, before the header fields that every response carries. */
export interface Answer {
  readonly status: number;
  /** JSON; a string holds ASCII only. */
  readonly body: string | Uint8Array;
  /** Of the body in bytes. */
  readonly contentLength: string;
  /** Further header fields: name, value, name, value … */
  readonly headers: readonly string[];
}

const NO_HEADERS: readonly string[] = [];

// Up to this size one write of head and body together is cheaper than two; beyond it, encoding each time is not.
const LONGEST_TEXT = 32_768;

export function answerWith(status: number, text: string, headers: readonly string[] = NO_HEADERS): Answer {
  const length = Buffer.byteLength(text);
  return {
    status,
    body: length === text.length && length <= LONGEST_TEXT ? text : Buffer.from(text),
    contentLength: String(length),
    headers,
  };
}

/** The Error object; section "Errors". */
export function answerError(
  { error }: Pick<Representation, 'error'>,
  { code, message, status }: ErrorBody,
  headers?: readonly string[],
): Answer {
  return answerWith(status, error({ code, message, status }), headers);
}
