import { CLIENT_REQUIREMENTS, type RequirementId } from '../../contract/requirements/index.ts';
import type { Finding } from '../../contract/verdict.ts';
import type { CertifyReport } from './report.ts';
import { countOutcomes } from './requirement-groups.ts';
import { OVER_ADMITTED, reportedAs, type SampleDeparture } from './sample-report.test-data.ts';
import { SAMPLE_SCENARIOS } from './sample-scenarios.test-data.ts';

const CAME_EARLY: Finding = {
  message:
    'List: one 429 with Retry-After as a date: The answer 429 of 0.04 s said Retry-After: Mon, 02 Nov 2026 09:30:03 GMT, so that the client might come again at 2.04 s; it came at 0.06 s, 1.98 s too early. Read the HTTP-date form of Retry-After too.',
  ...(OVER_ADMITTED.exchange === undefined ? {} : { exchange: OVER_ADMITTED.exchange }),
};

const REPEATED: Finding = {
  message:
    'Update: 400: The answer 400 was followed by 29 more requests. Report a 400 at once; the same request will never do.',
};

const CRASHED: Finding = {
  message:
    'List: 401: The client ended with exit code 1 and no result. Print one JSON object as the last line, and exit with 0.',
};

const CONSTANT: Finding = {
  message:
    'Nothing but 429s: 12 waits in a row were about 1.02 s long. Let each wait grow, beyond Retry-After, by a factor such as 2 and add jitter.',
};

const DEPARTURES: Partial<Record<RequirementId, SampleDeparture>> = {
  'client-waits': { outcome: 'fail', findings: [CAME_EARLY] },
  'client-does-not-repeat-refused': { outcome: 'fail', findings: [REPEATED] },
  'client-completes': { outcome: 'fail', findings: [CRASHED], expectedFailure: true },
  'client-backs-off': { outcome: 'fail', findings: [CONSTANT] },
  'client-exact-pet-id': {
    outcome: 'inconclusive',
    reason: 'No update reached the server.',
    evidence: 0,
  },
  'client-stops-trying': { outcome: 'skipped', reason: 'The client gave up at the first 429.', evidence: 0 },
};

const CHECKS = ['list', 'limited-seconds'];

const REQUIREMENTS_FOUND = CLIENT_REQUIREMENTS.map((row) =>
  reportedAs(row, { checks: CHECKS, ...DEPARTURES[row.id] }),
);

/** A client with every outcome and every kind of traffic. */
export const SAMPLE_CERTIFY_REPORT: CertifyReport = {
  schemaVersion: 1,
  kind: 'certify',
  verdict: 'not-certified',
  scope: `not-certified: 9 of 10 MUSTs judged in ${SAMPLE_SCENARIOS.length} scenarios`,
  profile: 'full',
  level: 'must',
  target: { command: ['node', 'client.js', '--name', "Anna's client"], driver: 'exec' },
  startedAt: '2026-11-02T09:30:00.000Z',
  durationSeconds: 36.61,
  suite: { version: '0.1.0', specVersion: '1.0.0' },
  requirements: REQUIREMENTS_FOUND,
  counts: countOutcomes(REQUIREMENTS_FOUND),
  observations: {
    'client-retries-limited': ['tries again', 'gives up'],
    'client-reuses-connections': true,
  },
  problems: ['One scenario was cut short.'],
  scenarios: SAMPLE_SCENARIOS,
  power: {
    known: 85,
    withinReach: 82,
    byArea: [{ area: 'client', known: 85, withinReach: 82 }],
    byRequirement: [
      { requirement: 'client-waits', known: 50, withinReach: 49 },
      { requirement: 'client-completes', known: 35, withinReach: 33 },
    ],
  },
  herd: {
    clients: 4,
    refusals: [
      {
        retryAfterSeconds: 2,
        milliseconds: [-14.2, -12, 3.4, 11],
        median: -4.3,
        range: 25.2,
        interquartileRange: 17.8,
        busiestShare: 1,
      },
      {
        retryAfterSeconds: 4,
        milliseconds: [-13.8, -13, -12.9],
        median: -13,
        range: 0.9,
        interquartileRange: 0.5,
        busiestShare: 1,
      },
    ],
    growth: 'too few',
    earliness: {
      waits: 3,
      early: 3,
      habit: { kind: 'unknown', size: 13, mostMilliseconds: 13.8 },
    },
    longestWait: {
      begun: 60,
      declined: 61,
      ended: 35,
      watched: 3,
      trials: [
        { seconds: 60, conduct: 'waits' },
        { seconds: 61, conduct: 'gives up' },
        { seconds: 86_400, conduct: 'gives up' },
      ],
    },
  },
};
