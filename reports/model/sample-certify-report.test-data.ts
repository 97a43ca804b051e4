import { CLIENT_REQUIREMENTS, type RequirementId } from '../../contract/requirements/index.ts';
import type { Finding } from '../../contract/verdict.ts';
import type { CertifyReport } from './report.ts';
import { countOutcomes } from './requirement-groups.ts';
import { OVER_ADMITTED, reportedAs, type SampleDeparture } from './sample-report.test-data.ts';
import { SAMPLE_SCENARIOS } from './sample-scenarios.test-data.ts';

/** What the failure of that scenario is in the report. */
function foundIn(id: string): Finding {
  const scenario = SAMPLE_SCENARIOS.find((one) => one.id === id);
  return { message: `${scenario?.title}: ${scenario?.failures[0]}` };
}

const CAME_EARLY: Finding = {
  ...foundIn('limited-date'),
  ...(OVER_ADMITTED.exchange === undefined ? {} : { exchange: OVER_ADMITTED.exchange }),
};

const DEPARTURES: Partial<Record<RequirementId, SampleDeparture>> = {
  'client-waits': { outcome: 'fail', findings: [CAME_EARLY] },
  'client-does-not-repeat-refused': { outcome: 'fail', findings: [foundIn('refused-update')] },
  'client-completes': { outcome: 'fail', findings: [foundIn('refused-key')], expectedFailure: true },
  'client-backs-off': { outcome: 'fail', findings: [foundIn('limited-without-end')] },
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
  },
};
