import type {
  PolicyTrial,
  SimulationResult,
  StormOutcome,
  StormPeak,
  StormSetting,
} from '../../contract/simulation-result.ts';
import { figure, percentText, rateText } from './load.ts';
import type { Table } from '../document/document.ts';
import { countText, printableLine } from './words.ts';

const POLICY_LIMIT = 400;

/** Seconds with their unit; beyond two minutes in minutes, too. */
export function secondsText(seconds: number | null): string {
  if (seconds === null) {
    return 'never';
  }
  const minutes = seconds < 120 ? '' : ` (${figure(seconds / 60)} min)`;
  return `${figure(seconds)} s${minutes}`;
}

/** Whether the service kept within its capacity and served anybody. */
export function servesWithinCapacity({ holds, outcome }: SimulationResult): boolean {
  return holds && outcome.servedShare > 0;
}

/** What the storm came to, in a line. */
export function stormHeadline({ holds, outcome, setting }: SimulationResult): string {
  const { drainSeconds, servedShare } = outcome;
  const served =
    drainSeconds === null
      ? `${percentText(servedShare)} of the clients served within ${secondsText(setting.durationSeconds)}`
      : `all clients served after ${secondsText(drainSeconds)}`;
  return `${served}; ${holds ? 'within' : 'beyond'} the capacity after the first wave`;
}

/** Why the service kept within its capacity, or did not. */
export function capacityText({ outcome, setting }: SimulationResult): string {
  const { longestWait, returningFailed, returningPeak } = outcome;
  if (returningPeak.requests === 0) {
    return outcome.drainSeconds === null
      ? `Nothing came back within ${secondsText(setting.durationSeconds)}: the clients that are not served still wait, gave up or are banned.`
      : 'Nobody was told to wait, so nothing came back.';
  }
  const waited = `Requests that came back waited up to ${secondsText(longestWait.returning)} for a worker (${secondsText(setting.longestWait)} is kept to)`;
  return returningFailed === 0
    ? `${waited}.`
    : `${waited}, and ${returningFailed} of them were dropped or answered too late.`;
}

/** Such as `120 in 100 ms at 61.2 s, 2.4 times the capacity`. */
export function peakLine({ requests, atSeconds }: StormPeak, { service }: StormSetting): string {
  return requests === 0
    ? 'none'
    : `${requests} in 100 ms at ${figure(atSeconds)} s, ${figure(requests / (service.capacity / 10))} times the capacity`;
}

function policyText(policy: string): string {
  return printableLine(policy, POLICY_LIMIT);
}

/** The setting by name, in the order in which it is shown. */
export function settingRows(setting: StormSetting): readonly (readonly [string, string])[] {
  const { limits, service, server } = setting;
  return [
    [
      'Clients',
      `${countText(setting.clients, 'client')}, each wants ${countText(setting.requestsEach, 'request')}; they begin within ${secondsText(setting.arrivalSeconds)}${setting.pauseSeconds === 0 ? '' : ` and pause ${secondsText(setting.pauseSeconds)} between requests`}`,
    ],
    ...setting.policies.map(
      ({ policy, share }) => ['Policy', `${percentText(share)} ${policyText(policy)}`] as const,
    ),
    [
      'Limits',
      `${limits.perMinute} a minute and ${limits.perDay} a day; ${server.length === 0 ? 'as the reference server' : server.map((phrase) => printableLine(phrase)).join('; ')}`,
    ],
    [
      'Service',
      `${rateText(service.capacity)}: ${countText(service.workers, 'request')} at once of ${figure(service.serviceSeconds * 1_000)} ms; a refusal costs ${percentText(service.refusalShare)} of that; ${service.queue === null ? 'any number may wait' : `${service.queue} may wait`}; clients wait ${secondsText(setting.timeoutSeconds)} for an answer`,
    ],
    ['Seed', `${setting.seed}`],
  ];
}

/** What became of the storm, by name. */
export function outcomeRows({ outcome, setting }: SimulationResult): readonly (readonly [string, string])[] {
  const { servedBy, requests, requestsPerClient, longestWait } = outcome;
  const { mean, p50, p99, max } = requestsPerClient;
  return [
    ['All served after', drainText(outcome)],
    [
      'Half, 90 %, 99 % after',
      [servedBy.p50, servedBy.p90, servedBy.p99].map((time) => secondsText(time)).join(', '),
    ],
    ['Requests per client', `${figure(mean)}; p50 ${p50}, p99 ${p99}, at most ${max}`],
    ['Peak of the first wave', peakLine(outcome.firstPeak, setting)],
    ['Peak of what came back', peakLine(outcome.returningPeak, setting)],
    [
      'Longest wait for a worker',
      `${secondsText(longestWait.first)} in the first wave, ${secondsText(longestWait.returning)} after it`,
    ],
    [
      'Requests',
      `${requests.sent} sent: ${requests.granted} granted, ${requests.refused} refused, ${requests.dropped} dropped (503), ${requests.late} answered too late, ${requests.inFlight} in flight at the end`,
    ],
    ['Banned', percentText(outcome.bannedShare)],
    ['Gave up', percentText(outcome.gaveUpShare)],
  ];
}

function drainText({
  drainSeconds,
  servedShare,
}: Pick<StormOutcome, 'drainSeconds' | 'servedShare'>): string {
  return drainSeconds === null ? `never: ${percentText(servedShare)} were served` : secondsText(drainSeconds);
}

/** The policies that were tried. */
export function trialTable(caption: string, trials: readonly PolicyTrial[]): Table {
  return {
    caption,
    columns: [
      'Policy',
      'Capacity',
      'All served after',
      'Longest wait',
      'Peak in 100 ms',
      'Requests per client',
      'Banned',
    ],
    rows: trials.map(({ policy, isGiven, holds, outcome }) => [
      `${policyText(policy)}${isGiven ? ' (as asked for)' : ''}`,
      holds ? { outcome: 'pass', words: 'within' } : { outcome: 'inconclusive', words: 'beyond' },
      drainText(outcome),
      secondsText(outcome.longestWait.returning),
      `${outcome.returningPeak.requests}`,
      figure(outcome.requestsPerClient.mean),
      percentText(outcome.bannedShare),
    ]),
  };
}

/** What became of the clients of each policy. */
export function clientTable({ outcome }: SimulationResult): Table {
  return {
    caption: 'Clients by policy',
    columns: ['Policy', 'Clients', 'Served', 'Half after', 'Requests each', 'Banned', 'Gave up'],
    rows: outcome.clients.map((row) => {
      const share = (count: number): string => percentText(row.clients === 0 ? 0 : count / row.clients);
      return [
        policyText(row.policy),
        row.clients,
        share(row.served),
        secondsText(row.medianServedSeconds),
        figure(row.requestsPerClient.mean),
        share(row.banned),
        share(row.gaveUp),
      ];
    }),
  };
}

/** What a search is called that varied the policy of one side. */
export function searchTitle(whose: 'server' | 'client'): string {
  return whose === 'server' ? 'Policies of the server' : 'Policies of the client';
}

/** What a search recommends, in a sentence. */
export function adviceText(whose: 'server' | 'client', trials: readonly PolicyTrial[]): string {
  const [best] = trials;
  if (best === undefined) {
    return '';
  }
  const what = whose === 'server' ? 'Let the server answer' : 'Ship a client';
  const name = policyText(best.policy);
  if (best.isGiven) {
    return `None of ${trials.length} policies is better than the one that was asked for${best.holds ? '' : ', and none keeps within the capacity'}.`;
  }
  return best.holds
    ? `${what} with this policy: ${name}. Of ${trials.length}, it keeps within the capacity, takes at most 5 % longer than the quickest that does, and has the lowest peak of those.`
    : `None of ${trials.length} policies keeps within the capacity; nearest comes: ${name}.`;
}
