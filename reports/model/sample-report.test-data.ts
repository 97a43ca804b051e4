import { isDeepStrictEqual } from 'node:util';
import { type Requirement, type RequirementId, REQUIREMENTS } from '../../contract/requirements/index.ts';
import type { Trail, TrailRequest } from '../../contract/trail.ts';
import type { Finding, HeaderField, RecordedExchange } from '../../contract/verdict.ts';
import type { Report, ReportedRequirement, VerifyReport } from './report.ts';
import { countOutcomes } from './requirement-groups.ts';

const TARGET = 'http://127.0.0.1:8080/v1';

const RATE_LIMIT: readonly HeaderField[] = [
  ['Content-Type', 'application/json'],
  ['X-RateLimit-Limit', '60'],
  ['X-RateLimit-Remaining', '0'],
  ['X-RateLimit-Reset', '1790000060'],
];

function exchange(
  method: string,
  path: string,
  body: string | null,
  status: number,
  answer: string,
): RecordedExchange {
  return {
    request: {
      method,
      url: `${TARGET}${path}`,
      headers: [
        ['Authorization', 'Bearer free#1'],
        ...(body === null ? [] : [['Content-Type', 'application/json'] as const]),
      ],
      body,
    },
    response: { status, headers: RATE_LIMIT, body: answer, bodyBytes: Buffer.byteLength(answer) },
    sentAt: '2026-11-02T09:30:01.250Z',
    durationMilliseconds: 3.4,
  };
}

function limitFields(remaining: number): readonly HeaderField[] {
  return [
    ['X-RateLimit-Limit', '60'],
    ['X-RateLimit-Remaining', `${remaining}`],
  ];
}

/** What was sent one after the other so many times with a Free key, and answered 200. */
export function listedTimes(times: number): TrailRequest {
  return {
    method: 'GET',
    path: '/inventory',
    authorization: [['Bearer ', { key: 1 }]],
    headers: [],
    body: null,
    operation: 'listInventory',
    key: 1,
    times,
    answers: [
      {
        status: 200,
        times,
        first: limitFields(59),
        last: limitFields(60 - times),
      },
    ],
  };
}

/** A trail that takes all of these groups of requests, a second apart; the last request proves the violation. */
export function sampleTrail(...groups: readonly (readonly TrailRequest[])[]): Trail {
  const last = groups.at(-1)?.at(-1);
  return {
    keys: [{ label: 'free#1', plan: 'free', perMinute: 60, perDay: 1_000, usedToday: 0, issued: true }],
    startedAt: null,
    steps: groups.map((requests, index) => ({
      do: 'send',
      at: 1_000 * index,
      connections: 1,
      requests: requests.map((one) => (one === last ? { ...one, proves: true } : one)),
    })),
    takesSeveral: true,
    attempts: 1,
  };
}

const ROUNDED: Finding = {
  message:
    'PATCH /inventory/9007199254740993 answered with petId 9007199254740992: the last digit of the int64 was lost.',
  exchange: exchange(
    'PATCH',
    '/inventory/9007199254740993',
    '{"quantity":7}',
    200,
    '{"petId":9007199254740992,"quantity":7,"status":"available"}',
  ),
  curl: `curl -i -X PATCH '${TARGET}/inventory/9007199254740993' -H 'Authorization: Bearer free#1' -H 'Content-Type: application/json' -d '{"quantity":7}'`,
  check: 'update-basics',
  repeat: `npx stockcheck verify ${TARGET} --only update-basics`,
  trail: sampleTrail([listedTimes(60)], [listedTimes(1)]),
};

/** More accepted at once than the plan grants. */
export const OVER_ADMITTED: Finding = {
  message: '64 of 90 concurrent requests were accepted in one window; the Free plan grants 60.',
  exchange: exchange('GET', '/inventory', null, 200, '[{"petId":1,"quantity":3,"status":"available"}]'),
  curl: `curl -i '${TARGET}/inventory' -H 'Authorization: Bearer free#1'`,
};

const NO_CHALLENGE: Finding = {
  message: 'A 401 came without WWW-Authenticate.',
  exchange: exchange(
    'GET',
    '/store/orders',
    null,
    401,
    '{"code":"unauthorized","message":"The API key is missing or invalid.","status":401}',
  ),
  curl: `curl -i '${TARGET}/store/orders'`,
};

/** What was found of a requirement, in place of what is found of most. */
export type SampleDeparture = Partial<
  Omit<ReportedRequirement, 'id' | 'level' | 'area' | 'title' | 'clause' | 'reading'>
>;

const NO_BUSINESS_KEY = 'No key of the plan Business was given.';
const NO_ENTERPRISE_KEY = 'No key of the plan Enterprise was given.';
const NO_CLOCK = 'The day limit takes a control URL or --long.';

const DEPARTURES: Partial<Record<RequirementId, SampleDeparture>> = {
  'item-pet-id': {
    outcome: 'fail',
    findings: [ROUNDED, { message: 'Another pet lost a digit, too.' }],
    tally: { violated: 245, judged: 3_700, of: 'responses' },
  },
  'limit-under-concurrency': { outcome: 'fail', findings: [OVER_ADMITTED] },
  'update-exact-pet': { outcome: 'fail', findings: [ROUNDED], expectedFailure: true },
  'www-authenticate': { outcome: 'fail', findings: [NO_CHALLENGE] },
  'limit-renews': {
    outcome: 'inconclusive',
    reason: 'A window boundary cut the burst in two, three times in a row.',
    findings: [
      {
        message: 'The last of three attempts took 61 s.',
        exchange: { ...exchange('GET', '/inventory', null, 0, ''), response: null },
      },
    ],
  },
  'revoked-key': { outcome: 'skipped', reason: 'No revoked key was given.', evidence: 0 },
  'minute-limit-business': { outcome: 'skipped', reason: NO_BUSINESS_KEY, evidence: 0 },
  'minute-limit-enterprise': { outcome: 'skipped', reason: NO_ENTERPRISE_KEY, evidence: 0 },
  'day-limit-free': { outcome: 'skipped', reason: NO_CLOCK, evidence: 0 },
  'day-limit-pro': { outcome: 'skipped', reason: NO_CLOCK, evidence: 0 },
  'day-limit-business': { outcome: 'skipped', reason: NO_BUSINESS_KEY, evidence: 0 },
  'day-limit-enterprise': { outcome: 'skipped', reason: NO_ENTERPRISE_KEY, evidence: 0 },
};

function checkOf({ area }: Requirement): string {
  return area.replaceAll(' ', '-');
}

/** A requirement that holds, but for the departure. */
export function reportedAs(
  { id, area, clause, level, reading, statement }: Requirement,
  departure: SampleDeparture,
): ReportedRequirement {
  return {
    id,
    level,
    area,
    outcome: level === 'observe' ? 'observed' : 'pass',
    title: statement,
    clause,
    ...(reading === undefined ? {} : { reading }),
    evidence: 12,
    checks: [],
    findings: [],
    ...departure,
  };
}

function reported(row: Requirement): ReportedRequirement {
  const { id, notChecked } = row;
  const unjudged: SampleDeparture =
    notChecked === undefined ? {} : { outcome: 'skipped', reason: notChecked, evidence: 0, checks: [] };
  return reportedAs(row, { checks: [checkOf(row)], ...unjudged, ...DEPARTURES[id] });
}

/** A requirement of no report in particular, which passes but for the departure. */
export function requirementWith(departure: Partial<ReportedRequirement>): ReportedRequirement {
  return {
    id: 'one',
    level: 'must',
    area: 'list',
    outcome: 'pass',
    title: 'A requirement.',
    clause: 'Endpoints',
    evidence: 1,
    checks: [],
    findings: [],
    ...departure,
  };
}

/** The report with these requirements and the counts that belong to them. */
export function withRequirements<Kind extends Report>(
  report: Kind,
  requirements: readonly ReportedRequirement[],
): Kind {
  return { ...report, requirements, counts: countOutcomes(requirements) };
}

const REQUIREMENTS_FOUND = REQUIREMENTS.map(reported);
const COUNTS = countOutcomes(REQUIREMENTS_FOUND);
const JUDGED = COUNTS.must.pass + COUNTS.must.fail;
const MUSTS = JUDGED + COUNTS.must.inconclusive + COUNTS.must.skipped;

/** A nonconformant run with every outcome at every place where one can occur. */
export const SAMPLE_REPORT: VerifyReport = {
  schemaVersion: 1,
  kind: 'verify',
  verdict: 'nonconformant',
  scope: `nonconformant in profile full: ${JUDGED} of ${MUSTS} MUSTs judged`,
  profile: 'full',
  level: 'must',
  target: { url: TARGET, control: null, keys: ['free#1', 'free#2', 'pro#1'] },
  startedAt: '2026-11-02T09:30:00.000Z',
  durationSeconds: 97.25,
  suite: { version: '0.1.0', specVersion: '1.0.0' },
  requirements: REQUIREMENTS_FOUND,
  counts: COUNTS,
  observations: {
    'retry-after-format': 'delta-seconds',
    'window-algorithm': 'sliding-log',
    'refused-requests-count': true,
    'ban-threshold': 20,
    'ban-length': 'no ban was seen',
    'extra-headers': ['cache-control', 'ratelimit-policy'],
    'error-code-values': ['unauthorized', 'not_found', 'invalid_request', 'rate_limited'],
    'list-order': 'ascending petId',
  },
  budget: {
    announced: 812,
    spent: 798,
    byKey: [
      { label: 'free#1', plan: 'free', announced: 152, spent: 148 },
      { label: 'free#2', plan: 'free', announced: 60, spent: 60 },
      { label: 'pro#1', plan: 'pro', announced: 600, spent: 590 },
    ],
  },
  checks: [...new Set(REQUIREMENTS.map(checkOf))].map((id, index) => ({
    id,
    title: `Everything on ${id.replaceAll('-', ' ')}`,
    outcome: index % 4 === 0 ? 'fail' : 'pass',
    durationSeconds: 0.5 * (index + 1),
    requests: 20 + index,
  })),
  problems: ['The quantity of pet 17 could not be restored to 4: the target answered 500.'],
};

/** The sample after a target whose list is no array: what is known of its items follows from that. */
export const REPORT_WITH_CAUSES: VerifyReport = withRequirements(
  SAMPLE_REPORT,
  REQUIREMENTS.map((row) =>
    row.id === 'list-succeeds'
      ? Object.assign(reported(row), {
          outcome: 'fail',
          findings: [{ message: 'The list is not a JSON array.' }],
        } satisfies SampleDeparture)
      : reported(row),
  ),
);

/** What a target could send to break out of each format or to drown it. */
export const HOSTILE_TEXT = [
  '<script>alert(1)</script>',
  '</pre><img src=x onerror=alert(2)>',
  '" onmouseover="alert(3)',
  ']]>',
  '\u0000\u0008\u007f\u009b2J',
  '\u001b[2J\u001b]0;title\u0007',
  '| a | b |',
  '```\n# heading\n---\n',
  '`code` **bold** [link](https://evil.test) ![image](https://evil.test/x.png)',
  'https://evil.test www.evil.test @somebody',
  '&amp; &lt; &#60;',
  '\u202e\u2028\u200b\ufeff\uffff\ud800',
  '\r\nX-Injected: 1',
  'long '.repeat(210_000),
].join(' ');

/** A finding with hostile text at every place. It begins as a finding of a scenario, so that it is taken for one. */
function hostileFinding(hostile: string): Finding {
  return {
    message: `Nothing but 429s: ${hostile}`,
    exchange: {
      request: { method: hostile, url: hostile, headers: [[hostile, hostile]], body: hostile },
      response: { status: 299, headers: [[hostile, hostile]], body: hostile, bodyBytes: 9_000_000 },
      sentAt: '2026-11-02T09:30:01.250Z',
      durationMilliseconds: 3,
    },
    curl: `curl ${hostile}`,
    check: hostile,
    repeat: `npx stockcheck verify ${hostile}`,
    trail: sampleTrail([
      {
        method: hostile,
        path: hostile,
        authorization: [hostile],
        headers: [[hostile, hostile]],
        body: hostile,
        operation: hostile,
        key: null,
        times: 1,
        answers: [{ status: 299, times: 1, first: [[hostile, hostile]], last: [[hostile, hostile]] }],
        proves: true,
      },
    ]),
  };
}

/** Members that hold what a target, a client or a configuration said. */
const SAID = new Set(
  [
    ['reason', 'problems', 'url', 'control', 'keys', 'label', 'plan', 'command', 'method', 'target'],
    ['retryAfter', 'ending', 'failures', 'output', 'file', 'measure', 'unit', 'expression', 'invalid'],
    ['phase', 'key', 'notes', 'name'],
  ].flat(),
);

/** The report with hostile text wherever a target, a client or a configuration has a say. */
export function hostileOf<Kind extends Report>(report: Kind, hostile: string = HOSTILE_TEXT): Kind {
  const finding = hostileFinding(hostile);
  const inPlaceOf = (value: unknown): unknown =>
    typeof value === 'string' ? hostile : Array.isArray(value) ? value.map(inPlaceOf) : value;
  return JSON.parse(JSON.stringify(report), (member, value: unknown) => {
    switch (member) {
      case 'findings':
        return Array.isArray(value) && value.length > 0 ? [finding, finding] : value;
      case 'observations':
        return { [hostile]: hostile, list: [hostile, 'plain'] };
      case 'parameters':
        return { [hostile]: hostile };
      case 'statuses':
      case 'lost':
        return typeof value !== 'object' || isDeepStrictEqual(value, {}) ? value : { [hostile]: 7 };
      default:
        return SAID.has(member) ? inPlaceOf(value) : value;
    }
  });
}
