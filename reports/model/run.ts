import { machineText, scenarioCounts } from './load.ts';
import { apart, attention, type Cause } from './attention.ts';
import { commandText, countText } from './words.ts';
import type {
  CertifyReport,
  PowerOfRequirement,
  Report,
  ReportedPower,
  ReportedResponseTimes,
  ReportedServer,
  ReportedTraffic,
  VerifyReport,
} from './report.ts';

/** What a report calls the server that `--self` judges, so that nobody takes it for their own implementation. */
const EMBEDDED_SERVER = 'embedded reference server';

/** The scope of a verdict; it names the embedded server if that was judged. */
export function withSubject(scope: string, embedded: boolean): string {
  return embedded ? `${scope} (${EMBEDDED_SERVER})` : scope;
}

/** The address of a target, with a note if it is the embedded server. */
export function addressText({
  url,
  embedded,
}: {
  readonly url: string;
  readonly embedded?: boolean;
}): string {
  return embedded === true ? `${url} (${EMBEDDED_SERVER})` : url;
}

/** What was judged, in one line: the address of a target or the command line of a client. */
export function subjectText(report: Report): string {
  if (report.kind !== 'certify') {
    return addressText(report.target);
  }
  const { command } = report.target;
  return command.length === 0 ? 'a client that was not started' : commandText(command);
}

/** What the run took, such as `214 requests in 38 scenarios, 41.2 s`. */
export function effortText(report: Report): string {
  const seconds = `${report.durationSeconds.toFixed(1)} s`;
  if (report.kind === 'verify') {
    if (report.traffic !== undefined) {
      return `${trafficText(report.traffic)}, ${seconds}`;
    }
    return `${countText(report.budget.spent, 'request')} in ${seconds}`;
  }
  const requests = report.kind === 'load' ? report.budget.spent : requestsOf(report);
  return `${countText(requests, 'request')} in ${countText(report.scenarios.length, 'scenario')}, ${seconds}`;
}

/** How many requests a client sent. */
function requestsOf({ scenarios }: CertifyReport): number {
  return scenarios.reduce((sum, { timeline }) => sum + timeline.length, 0);
}

/** Such as `73 exchanges judged, 2 of them without a response, 5 not sampled`. */
function trafficText(traffic: ReportedTraffic): string {
  const { exchanges, others, withoutBody, unanswered, notSampled } = traffic;
  const {
    leftOpen = 0,
    repeated = 0,
    lowered = 0,
    upgraded = 0,
    refused = 0,
    cutOff = 0,
    withoutHeaders = 0,
    local = 0,
    unreadable = 0,
  } = traffic;
  const parts: readonly (readonly [count: number, text: string])[] = [
    [withoutBody, 'of them with a body that was not recorded as it was sent'],
    [withoutHeaders, 'of them with header fields that were not recorded as they were sent'],
    [leftOpen, 'of them hardly judged, as a header field of the request leaves open how it is answered'],
    [unanswered, 'without a response'],
    [notSampled, 'not sampled'],
    [cutOff, 'cut off when the watch ended'],
    [upgraded, 'on upgraded connections, not judged'],
    [refused, 'refused by the proxy, which could not pass them on'],
    [local, 'answered by a gateway, a cache or the like, not by the service'],
    [repeated, 'recorded twice'],
    [lowered, 'with a method in small letters, which was read in capitals'],
    [unreadable, 'that could not be read'],
    [others, 'with other servers'],
  ];
  return [
    `${countText(exchanges, 'exchange')} judged`,
    ...parts.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`),
  ].join(', ');
}

/** The failures under their titles, those first that decide the verdict. */
export function failureLists(
  report: Pick<Report, 'requirements' | 'level' | 'requirementSet'>,
): readonly (readonly [title: string, causes: readonly Cause[]])[] {
  const { failures, advice, expected, newer } = attention(report);
  return [
    ['Failed', failures],
    ['Should, but does not', advice],
    ['Failed as the baseline expects', apart(expected)],
    [newerTitle(report), apart(newer)],
  ];
}

type Fact = readonly [name: string, value: string];

/** A moment in ISO 8601 as people write it, such as `2026-11-02 09:30:00 UTC`. */
export function dateText(moment: string): string {
  return moment.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC');
}

/** The facts that every run has. */
export function runFacts(run: {
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly suite: { readonly version: string };
}): readonly Fact[] {
  return [
    ['Started', dateText(run.startedAt)],
    ['Took', `${run.durationSeconds.toFixed(1)} s`],
    ['Suite', run.suite.version],
  ];
}

/** What is known of a run besides its verdict and when it was, by name. */
export function factsOf(report: Report): readonly Fact[] {
  const { kind, power, level } = report;
  return [
    ...kindFacts(report),
    ...known('Power', power === undefined ? undefined : powerText(power, kind)),
    ...(kind === 'load' && report.environment !== undefined
      ? ([
          ['Machine', machineText(report.environment)],
          ['Command', commandText(report.environment.command)],
        ] as const)
      : []),
    ['Decided by', level === 'must' ? 'must' : 'must and should'],
  ];
}

function kindFacts(report: Report): readonly Fact[] {
  switch (report.kind) {
    case 'verify': {
      const { target, profile, responseTimes } = report;
      return [
        ...targetFacts(target),
        ['Profile', profile],
        ...known(
          'Response times',
          responseTimes === undefined ? undefined : responseTimesText(responseTimes),
        ),
      ];
    }
    case 'certify':
      return [
        ['Command', subjectText(report)],
        ['Driver', DRIVER_WORDS[report.target.driver]],
        ['Scenarios', scenarioCounts(report)],
        ['Requests', `${requestsOf(report)}`],
        ...known('Server', report.server === undefined ? undefined : serverText(report.server)),
      ];
    case 'load':
      return [
        ...targetFacts(report.target),
        ['Scenarios', scenarioCounts(report)],
        ['Requests', `${report.budget.spent} of ${report.budget.announced} announced`],
      ];
  }
}

const DRIVER_WORDS: Readonly<Record<CertifyReport['target']['driver'], string>> = {
  exec: 'exec, one start per scenario',
  jsonl: 'jsonl, one process for all',
  none: 'none, judged by the traffic alone',
};

/** Such as `The server kept the specification in all 312 responses`. */
function serverText({ responses, accusations, breaks }: ReportedServer): string {
  const onPurpose = breaks.map(({ scenario, requirements }) => `${scenario}: ${requirements.join(', ')}`);
  const but =
    onPurpose.length === 0 ? '' : `, unless a scenario breaks it on purpose (${onPurpose.join('; ')})`;
  const accused = new Set(accusations.map(({ scenario }) => scenario)).size;
  if (responses === 0) {
    return 'The server answered nothing';
  }
  return accused === 0
    ? `The server kept the specification in ${responses === 1 ? 'its only response' : `all ${responses} responses`}${but}`
    : `The server did not keep the specification in ${countText(accused, 'scenario')}, of which nothing is said`;
}

function targetFacts(target: VerifyReport['target']): readonly Fact[] {
  return [
    ['Target', addressText(target)],
    ['Control', target.control ?? 'none, real time'],
    ['Keys', target.keys.join(', ')],
  ];
}

function known(name: string, value: string | undefined): readonly Fact[] {
  return value === undefined ? [] : [[name, value]];
}

/** What else is worth a line of its own: of a client its server, and how much the verdict is worth. */
export function remarks(report: Report): readonly string[] {
  const facts = new Map(factsOf(report));
  return [facts.get('Server'), facts.get('Power')].filter((remark) => remark !== undefined);
}

/** What stands above failures that came with a later set of requirements than the one that decides. */
export function newerTitle({ requirementSet = 'of the run' }: Pick<Report, 'requirementSet'>): string {
  return `Newer than requirement set ${requirementSet}, so not scored`;
}

/** What the faults are called whose number is said. */
const KNOWN: Readonly<Record<Report['kind'], string>> = {
  verify: 'known faults',
  certify: 'known faults of clients',
  load: 'known faults that show only under load',
};

/** Such as `This run could have caught 361 of 441 known faults; out of its reach: 60 in limits, 20 in ban`. */
export function powerText(power: ReportedPower, kind: Report['kind']): string {
  const { known, withinReach } = power;
  if (kind === 'load' && withinReach === 0) {
    return `This run only measured: the ${known} ${KNOWN[kind]} need other scenarios, more connections or more time`;
  }
  const open = openRows(power, kind);
  const rest = open.length === 0 || withinReach === 0 ? '' : `; out of its reach: ${open.join(', ')}`;
  return `This run could have caught ${withinReach} of ${known} ${KNOWN[kind]}${rest}`;
}

function openRows({ byArea, byRequirement }: ReportedPower, kind: Report['kind']): readonly string[] {
  return kind === 'certify' && byRequirement !== undefined
    ? byRequirement.flatMap((row) => openOf(row, `of ${row.requirement}`))
    : byArea.flatMap((row) => openOf(row, `in ${row.area}`));
}

function openOf(
  { known, withinReach }: Pick<ReportedPower, 'known' | 'withinReach'>,
  name: string,
): readonly string[] {
  return withinReach < known ? [`${known - withinReach} ${name}`] : [];
}

/** Such as `This run could have caught 8 of the 13 known faults that break it; 4 more take a control URL; 1 more takes further checks`. */
export function powerOfRequirementText({ known, withinReach, needControl = 0 }: PowerOfRequirement): string {
  const faults = known === 1 ? 'the known fault that breaks it' : `the ${known} known faults that break it`;
  const needChecks = known - withinReach - needControl;
  const rest = [
    ...(needControl > 0 ? [`${needControl} more ${needControl === 1 ? 'takes' : 'take'} a control URL`] : []),
    ...(needChecks > 0 ? [`${needChecks} more ${needChecks === 1 ? 'takes' : 'take'} further checks`] : []),
  ];
  const start =
    withinReach === known
      ? `This run could have caught ${known > 1 ? 'all of ' : ''}${faults}`
      : `This run could have caught ${withinReach} of ${faults}`;
  return [start, ...rest].join('; ');
}

/** Such as `half within 1.2 ms, 95 % within 4 ms, of 1,024 requests sent alone`. */
function responseTimesText({ requests, p50, p95 }: ReportedResponseTimes): string {
  return `half within ${inMilliseconds(p50)}, 95 % within ${inMilliseconds(p95)}, of ${countText(requests, 'request')} sent alone`;
}

function inMilliseconds(milliseconds: number): string {
  return `${milliseconds < 10 ? Math.round(milliseconds * 10) / 10 : Math.round(milliseconds)} ms`;
}
