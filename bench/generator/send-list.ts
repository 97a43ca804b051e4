import { type ArrivalProcess, createRecorder, measurementOf, runOpenModel } from '../../load/index.ts';
import { requestForList, targetAt } from './request-for-list.ts';

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
