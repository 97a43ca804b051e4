import type { TracedRequest, TracedRequests } from '../../contract/load-result.ts';
import type { LoadLoss, LoadResponse } from '../engine/load-request.ts';
import { traceIdOf } from '../engine/traceparent.ts';

/** How many are kept of the slowest, and of those that failed. */
const MOST = 10;
/** Of those that failed in the same way. */
const MOST_ALIKE = 3;
const SERVER_ERROR = 500;

/** Keeps what can be looked up in a tracing system. */
export interface TraceKeeper {
  readonly response: (response: LoadResponse) => void;
  readonly loss: (loss: LoadLoss) => void;
  /** `null` if no request carried a trace. */
  readonly kept: () => TracedRequests | null;
}

/** @param startsAt moment of `performance.now()` from which requests count */
export function keepTraces(startsAt: number): TraceKeeper {
  let slowest: readonly TracedRequest[] = [];
  let failed: readonly TracedRequest[] = [];
  let hasTraces = false;
  const fail = (request: TracedRequest): void => {
    if (failed.length < MOST * MOST_ALIKE) {
      failed = fewOfEach([...failed, request]);
    }
  };
  return {
    response: ({ request, status, traceparent, dueAt, answeredAt }) => {
      if (traceparent === undefined) {
        return;
      }
      hasTraces = true;
      const milliseconds = answeredAt - dueAt;
      const isSlow = slowest.length < MOST || milliseconds > (slowest.at(-1)?.milliseconds ?? 0);
      if (!isSlow && status < SERVER_ERROR) {
        return;
      }
      const traced = {
        traceId: traceIdOf(traceparent),
        operation: request.operation,
        status,
        cause: null,
        milliseconds,
        atSeconds: (dueAt - startsAt) / 1000,
      };
      if (isSlow) {
        slowest = slowestOf([...slowest, traced]);
      }
      if (status >= SERVER_ERROR) {
        fail(traced);
      }
    },
    loss: ({ request, traceparent, dueAt, givenUpAt, cause }) => {
      if (traceparent !== undefined) {
        hasTraces = true;
        fail({
          traceId: traceIdOf(traceparent),
          operation: request.operation,
          status: null,
          cause,
          milliseconds: givenUpAt - dueAt,
          atSeconds: (dueAt - startsAt) / 1000,
        });
      }
    },
    kept: () => (hasTraces ? { slowest, failed } : null),
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
