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

/** A scenario that passes with a list, but for the departure. */
export function played(
  id: string,
  title: string,
  durationSeconds: number,
  departure: Partial<ReportedScenario>,
): ReportedScenario {
  return { ...COMMON, id, title, durationSeconds, timeline: [], ...departure };
}

/** Traffic of every kind that a chart has to show. */
export const SAMPLE_SCENARIOS: readonly ReportedScenario[] = [
  played('list', 'List', 0.112, { timeline: [answered(LIST, 0.061, 200, 0.012)] }),
  played('list-slow', 'List: an answer that takes its time', 1.641, {
    timeline: [answered(LIST, 0.055, 200, 1.5)],
  }),
  played('refused-update', 'Update: 400', 0.9, {
    timeline: Array.from({ length: 30 }, (_, index) => answered(UPDATE, 0.05 + index * 0.027, 400)),
    task: 'PATCH /inventory/9007199254740993 to -1',
    outcome: 'fail',
    failures: [
      'The answer 400 was followed by 29 more requests. Report a 400 at once; the same request will never do.',
    ],
    ending: 'It reported an error with status 400, code "invalid_request" and message "No.".',
    output: '{"ok":false,"error":{"code":"invalid_request","message":"No.","status":400}}\n',
  }),
  played('limited-seconds', 'List: one 429 with Retry-After in seconds', 2.21, {
    timeline: [limited(0.052, 2), answered(LIST, 2.171, 200)],
  }),
  played('limited-date', 'List: one 429 with Retry-After as a date', 0.98, {
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
    outcome: 'fail',
    failures: [
      'The answer 429 of 0.04 s said Retry-After: Mon, 02 Nov 2026 09:30:03 GMT, so that the client might come again at 2.04 s; it came at 0.06 s, 1.98 s too early. Read the HTTP-date form of Retry-After too.',
    ],
  }),
  played('limited-several', 'Four 429s in a row', 16.42, {
    timeline: [
      limited(0.052, 1),
      limited(1.16, 1),
      limited(3.29, 1),
      limited(7.61, 1),
      answered(LIST, 16.38, 200),
    ],
    backoff: { factor: 2.02, jitter: 0.12 },
  }),
  played('limited-long', 'One 429 with a Retry-After of 35 s', 35.24, {
    timeline: [limited(0.07, 35), answered(LIST, 35.2, 200)],
  }),
  played('limited-given-up', 'One 429 with a Retry-After of 40 s', 0.11, {
    timeline: [limited(0.07, 40)],
    ending: 'It reported an error with status 429, code "rate_limited" and message "Later.".',
  }),
  played('limited-without-end', 'Nothing but 429s', 12.4, {
    timeline: Array.from({ length: 13 }, (_, index) => limited(0.05 + index * 1.02, 1)),
    backoff: { factor: 1, jitter: 0.004 },
    failures: [
      '12 waits in a row were about 1.02 s long. Let each wait grow, beyond Retry-After, by a factor such as 2 and add jitter.',
    ],
    ending: 'It went on trying, and was ended.',
    output: '',
  }),
  played('banned-forbidden', 'A key that is banned for 2 s: 403', 2.31, {
    timeline: [limited(0.06, 2, 403), { ...answered({ ...LIST, target: '/v1/inventory/' }, 2.27, 200) }],
  }),
  played('redirected', 'A redirect to another host', 0.13, {
    timeline: [answered(LIST, 0.06, 307), answered(LIST, 0.071, 503)],
    outcome: 'observed',
    ending: 'It reported an error with status 503, code "" and message "".',
  }),
  played('refused-key', 'List: 401', 0.07, {
    outcome: 'fail',
    failures: [
      'The client ended with exit code 1 and no result. Print one JSON object as the last line, and exit with 0.',
    ],
    ending: 'It ended with exit code 1 before it reported anything.',
    output:
      'stdout: (nothing)\nstderr: Error: \u001b[31mCannot read <undefined> of "items"\u001b[0m\n    at main (client.js:12:7)\n',
  }),
  played('silence', 'An answer that never comes', 3.2, {
    timeline: [timelineEntry(0.06, { ...UPDATE, answeredSeconds: null, status: null })],
    task: 'PATCH /inventory/9007199254740993 to 31',
    outcome: 'inconclusive',
    ending: 'The run was interrupted.',
    output: '',
  }),
  played('never-run', 'A scenario that judged nothing', 0, {
    outcome: 'skipped',
    ending: 'Nothing was sent.',
    output: '',
  }),
];
