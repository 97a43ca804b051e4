import {
  type ArrivalProcess,
  createRecorder,
  type LoadRequest,
  type LoadTarget,
  measurementOf,
  runOpenModel,
} from '../../load/index.ts';
import type { Key } from '../../suites/oracle/index.ts';

const TIMEOUT_MILLISECONDS = 10_000;

/** What the engines connect to, and the path after its origin. */
export function targetAt(url: string): { readonly target: LoadTarget; readonly path: string } {
  const { origin, pathname } = new URL(url);
  return {
    target: {
      origin,
      basePath: '',
      headers: [],
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
      insecure: false,
      certificateAuthority: null,
    },
    path: pathname,
  };
}

/** A request for the list. @param key `null` for one whose limits are not followed */
export function requestForList(path: string, key: Key | null, authorization: readonly string[]): LoadRequest {
  const message = { operation: 'listInventory', method: 'GET', path, headers: [], body: null } as const;
  return { message, key, authorization, operation: 'GET /inventory' };
}

const SEED = 1;
// What is set up at the beginning must not make the first requests late.
const PREPARATION_MILLISECONDS = 50;

/** Requests for the list at a rate, with header fields for the key, if there is one. */
interface Sending {
  readonly url: string;
  readonly authorization: readonly string[];
  readonly arrivals: ArrivalProcess;
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
}

/** Sends requests in the open model. Moments are Unix milliseconds. */
export async function sendList({ url, authorization, arrivals, rate, seconds, connections }: Sending) {
  const { target, path } = targetAt(url);
  const due: number[] = [];
  const startsAt = performance.now() + PREPARATION_MILLISECONDS;
  const recorder = createRecorder({ startsAt, model: 'open' });
  const { invalid } = await runOpenModel(
    target,
    {
      load: {
        model: 'open',
        stages: [{ from: rate, to: rate, seconds }],
        process: arrivals,
        seed: SEED,
        connections,
        mix: [requestForList(path, null, authorization)],
      },
      share: { index: 0, of: 1 },
      startsAt,
    },
    {
      onDue: (dueAt, lag) => {
        due.push(performance.timeOrigin + dueAt);
        recorder.due(dueAt, lag);
      },
      onLeaving: () => 0,
      onSent: recorder.sent,
      onResponse: recorder.response,
      onLoss: recorder.loss,
      wantsBody: () => false,
    },
    new AbortController().signal,
  );
  const milliseconds = seconds * 1_000;
  const measurement = measurementOf([recorder.recording()], { model: 'open', milliseconds, invalid });
  return { measurement, due, start: performance.timeOrigin + startsAt };
}
