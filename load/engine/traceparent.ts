import { randomBytes } from 'node:crypto';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const DIGITS = 2 * TRACE_ID_BYTES;

/** The field value that begins a trace of its own for a request, which is to be sampled (W3C Trace Context, section 3.2). */
export function newTraceparent(): string {
  const ids = randomBytes(TRACE_ID_BYTES + SPAN_ID_BYTES).toString('hex');
  return `00-${ids.slice(0, DIGITS)}-${ids.slice(DIGITS)}-01`;
}

/** The trace that a field value names. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice('00-'.length, '00-'.length + DIGITS);
}
