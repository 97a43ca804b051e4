import type { SimulationResult, StormOutcome, StormSetting } from '../../contract/simulation-result.ts';
import { stormFigures } from '../html/plots/storm-plots.ts';
import { figure, percentText, rateText } from '../model/load.ts';
import { peakLine, secondsText } from '../model/storm.ts';
import { countText } from '../model/words.ts';
import * as doc from './document.ts';
import { figures } from './figures.ts';

export function stormDocument(result: SimulationResult): doc.Document {
  const { setting, holds, outcome, suite } = result;
  const isServed = holds && outcome.servedShare > 0;
  return {
    title: 'A storm of clients',
    outcome: isServed ? 'pass' : 'inconclusive',
    sign: isServed ? '✓' : '!',
    about: 'simulation · Petstore Inventory Service',
    verdict: holds ? 'Within the capacity' : 'Beyond the capacity',
    scope: stormHeadline(result),
    facts: [
      ['Clients', `${setting.clients}`],
      ['Seed', `${setting.seed}`],
      ['Suite', suite.version],
    ],
    blocks: [
      doc.line(capacityText(result)),
      doc.section(
        'What became of it',
        doc.onPage(doc.facts(outcomeRows(result), 'What became of the storm')),
        doc.onTerminal(doc.facts([...outcomeRows(result), ['Goodput over time', goodputText(result)]])),
        doc.section('Over time', figures('storm', stormFigures(result))),
      ),
      ...(outcome.clients.length > 1
        ? [doc.section('By policy of the client', doc.table(clientTable(result)))]
        : []),
      doc.section(
        'What was played',
        doc.facts(settingRows(setting), 'What was played'),
        ...setting.sources.map((source) => doc.line(source, 'about')),
      ),
    ],
  };
}

/** What the storm came to, in a line. */
function stormHeadline({ holds, outcome, setting }: SimulationResult): string {
  const { drainSeconds, servedShare } = outcome;
  const served =
    drainSeconds === null
      ? `${percentText(servedShare)} of the clients served within ${secondsText(setting.durationSeconds)}`
      : `all clients served after ${secondsText(drainSeconds)}`;
  return `${served}; ${holds ? 'within' : 'beyond'} the capacity after the first wave`;
}

/** Why the service kept within its capacity, or did not. */
function capacityText({ outcome, setting }: SimulationResult): string {
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

/** The setting by name, in the order in which it is shown. */
function settingRows(setting: StormSetting): readonly (readonly [string, string])[] {
  const { limits, service, server } = setting;
  return [
    [
      'Clients',
      `${countText(setting.clients, 'client')}, each wants ${countText(setting.requestsEach, 'request')}; they begin within ${secondsText(setting.arrivalSeconds)}${setting.pauseSeconds === 0 ? '' : ` and pause ${secondsText(setting.pauseSeconds)} between requests`}`,
    ],
    ...setting.policies.map(({ policy, share }) => ['Policy', `${percentText(share)} ${policy}`] as const),
    [
      'Limits',
      `${limits.perMinute} a minute and ${limits.perDay} a day; ${server.length === 0 ? 'as the reference server' : server.join('; ')}`,
    ],
    [
      'Service',
      `${rateText(service.capacity)}: ${countText(service.workers, 'request')} at once of ${figure(service.serviceSeconds * 1_000)} ms; a refusal costs ${percentText(service.refusalShare)} of that; ${service.queue === null ? 'any number may wait' : `${service.queue} may wait`}; clients wait ${secondsText(setting.timeoutSeconds)} for an answer`,
    ],
    ['Seed', `${setting.seed}`],
  ];
}

/** What became of the storm, by name. */
function outcomeRows({ outcome, setting }: SimulationResult): readonly (readonly [string, string])[] {
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

/** What became of the clients of each policy. */
function clientTable({ outcome }: SimulationResult): doc.Table {
  return {
    caption: 'Clients by policy',
    columns: ['Policy', 'Clients', 'Served', 'Half after', 'Requests each', 'Banned', 'Gave up'],
    rows: outcome.clients.map((row) => {
      const share = (count: number): string => percentText(row.clients === 0 ? 0 : count / row.clients);
      return [
        row.policy,
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

const BARS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const MOST_BARS = 60;

/** A bar for each stretch of time; a full one is the capacity, or the highest rate beyond it. */
function goodputText({ outcome, setting }: SimulationResult): string {
  const { steps, stepSeconds } = outcome;
  const merged = Math.max(1, Math.ceil(steps.length / MOST_BARS));
  const rates = Array.from({ length: Math.ceil(steps.length / merged) }, (_, index) => {
    const group = steps.slice(index * merged, (index + 1) * merged);
    return group.reduce((sum, { granted }) => sum + granted, 0) / (group.length * stepSeconds);
  });
  const highest = Math.max(setting.service.capacity, ...rates);
  const bars = rates.map((rate) => BARS[Math.ceil((rate / highest) * (BARS.length - 1))] ?? ' ').join('');
  return `|${bars}| ${figure(highest)}/s at most, ${secondsText(steps.length * stepSeconds)}`;
}
