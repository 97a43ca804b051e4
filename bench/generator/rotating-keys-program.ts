import { runClosedModel, readQuickHeaders, measurementOf, createRecorder } from '../../load/index.ts';
import { requestForList, targetAt } from './list-requests.ts';
import { tellResult } from './tell-result.ts';

// Loads a URL with several keys in turn, and prints how many requests were answered in how many seconds, and the CPU time meanwhile.
const [url = '', authorization = '', ...numbers] = process.argv.slice(2);
const [connections = 1, seconds = 1, keyCount = 1] = numbers.map(Number);
const { target, path } = targetAt(url);

const requests = Array.from({ length: keyCount }, (_, index) =>
  requestForList(path, null, [`${authorization}-${index}`]),
);

const usedBefore = process.cpuUsage();
const startedAt = performance.now();
const recorder = createRecorder({ startsAt: startedAt, model: 'closed' });
let unlabelled = 0;
const { invalid, endedAt } = await runClosedModel(
  target,
  {
    load: {
      model: 'closed',
      connections,
      seconds,
      maxRate: Infinity,
      source: 'mix',
      mix: requests,
      behaviour: { keepsAlive: true, sendsContentLength: true },
    },
    share: { index: 0, of: 1 },
    startsAt: startedAt,
  },
  {
    onDue: recorder.due,
    onLeaving: () => 0,
    onSent: recorder.sent,
    onResponse: (response) => {
      recorder.response(response);
      const { limit, remaining, reset } = readQuickHeaders(response.rawHeaders);
      unlabelled += limit < 0 || remaining < 0 || reset < 0 ? 1 : 0;
    },
    onLoss: recorder.loss,
    wantsBody: () => false,
  },
  new AbortController().signal,
);
const { answered, statuses, durationSeconds } = measurementOf([recorder.recording()], {
  model: 'closed',
  milliseconds: endedAt - startedAt,
  invalid,
});
if (unlabelled > 0 || invalid.length > 0 || statuses['200'] !== answered) {
  throw new Error(
    `${unlabelled} responses without rate limit headers; statuses ${JSON.stringify(statuses)}; ${invalid.join(' ')}`,
  );
}
tellResult(answered, durationSeconds, usedBefore);
