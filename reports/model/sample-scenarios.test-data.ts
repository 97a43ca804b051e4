import type { ReportedScenario, TimelineEntry } from './report.ts';

const LIST = { method: 'GET', target: '/v1/inventory' } as const;
const UPDATE = { method: 'PATCH', target: '/v1/inventory/9007199254740993' } as const;
const LATENCY = 0.003;

/** A list that is answered 200 at once, but for the departure. */
export function timelineEntry(
  receivedSeconds: number,
  departure: Partial<TimelineEntry> = {},
): TimelineEntry {
  return {
    ...LIST,
    receivedSeconds,
    answeredSeconds: receivedSeconds,
    status: 200,
    retryAfter: null,
    allowedSeconds: null,
    isEarly: false,
    ...departure,
  };
}

function answered(
  request: Pick<TimelineEntry, 'method' | 'target'>,
  receivedSeconds: number,
  status: number,
  latency = LATENCY,
): TimelineEntry {
  return timelineEntry(receivedSeconds, { ...request, answeredSeconds: receivedSeconds + latency, status });
}

/** A request that is answered 429 with delta-seconds. */
function limited(receivedSeconds: number, waitSeconds: number, status = 429): TimelineEntry {
  return {
    ...answered(LIST, receivedSeconds, status),
    retryAfter: `${waitSeconds}`,
    allowedSeconds: receivedSeconds + LATENCY + waitSeconds,
  };
}

const COMMON = {
  task: 'GET /inventory',
  outcome: 'pass',
  ending: 'It reported a list of 12 entries.',
  failures: [],
  backoff: null,
  output: '{"ok":true,"value":[]}\n',
} as const;

/** Traffic of every kind that a chart has to show. */
export const SAMPLE_SCENARIOS: readonly ReportedScenario[] = [
  {
    ...COMMON,
    id: 'list',
    title: 'List',
    durationSeconds: 0.112,
    timeline: [answered(LIST, 0.061, 200, 0.012)],
  },
  {
    ...COMMON,
    id: 'list-slow',
    title: 'List: an answer that takes its time',
    durationSeconds: 1.641,
    timeline: [answered(LIST, 0.055, 200, 1.5)],
  },
  {
    ...COMMON,
    id: 'refused-update',
    title: 'Update: 400',
    task: 'PATCH /inventory/9007199254740993 to -1',
    outcome: 'fail',
    durationSeconds: 0.9,
    timeline: Array.from({ length: 30 }, (_, index) => answered(UPDATE, 0.05 + index * 0.027, 400)),
    failures: [
      'The answer 400 was followed by 29 more requests. Report a 400 at once; the same request will never do.',
    ],
    ending: 'It reported an error with status 400, code "invalid_request" and message "No.".',
    output: '{"ok":false,"error":{"code":"invalid_request","message":"No.","status":400}}\n',
  },
  {
    ...COMMON,
    id: 'limited-seconds',
    title: 'List: one 429 with Retry-After in seconds',
    durationSeconds: 2.21,
    timeline: [limited(0.052, 2), answered(LIST, 2.171, 200)],
  },
  {
    ...COMMON,
    id: 'limited-date',
    title: 'List: one 429 with Retry-After as a date',
    outcome: 'fail',
    durationSeconds: 0.98,
    timeline: [
      {
        ...answered(LIST, 0.037, 429),
        retryAfter: 'Mon, 02 Nov 2026 09:30:03 GMT',
        allowedSeconds: 2.04,
      },
      {
        ...answered(LIST, 0.06, 429),
        retryAfter: 'Mon, 02 Nov 2026 09:30:03 GMT',
        allowedSeconds: 2.04,
        isEarly: true,
      },
      { ...answered(LIST, 0.94, 200), isEarly: true },
    ],
    failures: [
      'The answer 429 of 0.04 s said Retry-After: Mon, 02 Nov 2026 09:30:03 GMT, so that the client might come again at 2.04 s; it came at 0.06 s, 1.98 s too early. Read the HTTP-date form of Retry-After too.',
    ],
  },
  {
    ...COMMON,
    id: 'limited-several',
    title: 'Four 429s in a row',
    durationSeconds: 16.42,
    timeline: [
      limited(0.052, 1),
      limited(1.16, 1),
      limited(3.29, 1),
      limited(7.61, 1),
      answered(LIST, 16.38, 200),
    ],
    backoff: { factor: 2.02, jitter: 0.12 },
  },
  {
    ...COMMON,
    id: 'limited-long',
    title: 'One 429 with a Retry-After of 35 s',
    durationSeconds: 35.24,
    timeline: [limited(0.07, 35), answered(LIST, 35.2, 200)],
  },
  {
    ...COMMON,
    id: 'limited-given-up',
    title: 'One 429 with a Retry-After of 40 s',
    durationSeconds: 0.11,
    timeline: [limited(0.07, 40)],
    ending: 'It reported an error with status 429, code "rate_limited" and message "Later.".',
  },
  {
    ...COMMON,
    id: 'limited-without-end',
    title: 'Nothing but 429s',
    durationSeconds: 12.4,
    timeline: Array.from({ length: 13 }, (_, index) => limited(0.05 + index * 1.02, 1)),
    backoff: { factor: 1, jitter: 0.004 },
    failures: [
      '12 waits in a row were about 1.02 s long. Let each wait grow, beyond Retry-After, by a factor such as 2 and add jitter.',
    ],
    ending: 'It went on trying, and was ended.',
    output: '',
  },
  {
    ...COMMON,
    id: 'banned-forbidden',
    title: 'A key that is banned for 2 s: 403',
    durationSeconds: 2.31,
    timeline: [limited(0.06, 2, 403), { ...answered({ ...LIST, target: '/v1/inventory/' }, 2.27, 200) }],
  },
  {
    ...COMMON,
    id: 'redirected',
    title: 'A redirect to another host',
    outcome: 'observed',
    durationSeconds: 0.13,
    timeline: [answered(LIST, 0.06, 307), answered(LIST, 0.071, 503)],
    ending: 'It reported an error with status 503, code "" and message "".',
  },
  {
    ...COMMON,
    id: 'refused-key',
    title: 'List: 401',
    outcome: 'fail',
    durationSeconds: 0.07,
    timeline: [],
    failures: [
      'The client ended with exit code 1 and no result. Print one JSON object as the last line, and exit with 0.',
    ],
    ending: 'It ended with exit code 1 before it reported anything.',
    output:
      'stdout: (nothing)\nstderr: Error: \u001b[31mCannot read <undefined> of "items"\u001b[0m\n    at main (client.js:12:7)\n',
  },
  {
    ...COMMON,
    id: 'silence',
    title: 'An answer that never comes',
    task: 'PATCH /inventory/9007199254740993 to 31',
    outcome: 'inconclusive',
    durationSeconds: 3.2,
    timeline: [timelineEntry(0.06, { ...UPDATE, answeredSeconds: null, status: null })],
    ending: 'The run was interrupted.',
    output: '',
  },
  {
    ...COMMON,
    id: 'never-run',
    title: 'A scenario that judged nothing',
    outcome: 'skipped',
    durationSeconds: 0,
    timeline: [],
    ending: 'Nothing was sent.',
    output: '',
  },
];
