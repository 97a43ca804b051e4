import { randomBytes } from 'node:crypto';

import type { TracedRequest, TracedRequests } from '../../contract/load-result.ts';
import type { LoadLoss, LoadResponse } from '../engine/load-request.ts';

/** How many are kept of the slowest, and of those that failed. */
const MOST = 10;
/** Of those that failed in the same way. */
const MOST_ALIKE = 3;
const SERVER_ERROR = 500;

/**
 * Keeps what can be looked up in a tracing system.
 * @param startsAt moment of `performance.now()` from which requests count
 */
export function keepTraces(startsAt: number) {
  let slowest: readonly TracedRequest[] = [];
  let failed: readonly TracedRequest[] = [];
  let hasTraces = false;
  /** Keeps one that ended at a moment, if it is slow or failed. */
  const note = (
    ended: LoadResponse | LoadLoss,
    at: number,
    status: number | null,
    cause: string | null,
  ): void => {
    const { request, traceparent, dueAt } = ended;
    if (traceparent === undefined) {
      return;
    }
    hasTraces = true;
    const milliseconds = at - dueAt;
    const isAmongSlowest = slowest.length < MOST || milliseconds > (slowest.at(-1)?.milliseconds ?? 0);
    const isSlow = status !== null && isAmongSlowest;
    const isFailed = (status ?? SERVER_ERROR) >= SERVER_ERROR && failed.length < MOST * MOST_ALIKE;
    if (!isSlow && !isFailed) {
      return;
    }
    const traceId = traceIdOf(traceparent);
    const atSeconds = (dueAt - startsAt) / 1000;
    const traced = { traceId, operation: request.operation, status, cause, milliseconds, atSeconds };
    if (isSlow) {
      slowest = slowestOf([...slowest, traced]);
    }
    if (isFailed) {
      failed = fewOfEach([...failed, traced]);
    }
  };
  return {
    response: (response: LoadResponse) => note(response, response.answeredAt, response.status, null),
    loss: (loss: LoadLoss) => note(loss, loss.givenUpAt, null, loss.cause),
    /** `null` if no request carried a trace. */
    kept: (): TracedRequests | null => (hasTraces ? { slowest, failed } : null),
  };
}

/** Of all generators of a load. */
export function mergeTraces(all: readonly (TracedRequests | null)[]): TracedRequests | null {
  const kept = all.filter((one) => one !== null);
  return kept.length === 0
    ? null
    : {
        slowest: slowestOf(kept.flatMap(({ slowest }) => slowest)),
        failed: fewOfEach(kept.flatMap(({ failed }) => failed)),
      };
}

function slowestOf(requests: readonly TracedRequest[]): readonly TracedRequest[] {
  return requests.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, MOST);
}

/** The first of each kind of failure. */
function fewOfEach(requests: readonly TracedRequest[]): readonly TracedRequest[] {
  const byTime = requests.toSorted((one, other) => one.atSeconds - other.atSeconds);
  return [...Map.groupBy(byTime, ({ status, cause }) => cause ?? status).values()]
    .flatMap((alike) => alike.slice(0, MOST_ALIKE))
    .slice(0, MOST);
}

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
