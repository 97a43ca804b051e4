import type { Report, ReportedTraffic } from '../model/report.ts';

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
    return `${report.budget.spent} requests in ${seconds}`;
  }
  const requests =
    report.kind === 'load'
      ? report.budget.spent
      : report.scenarios.reduce((sum, { timeline }) => sum + timeline.length, 0);
  return `${countText(requests, 'request')} in ${countText(report.scenarios.length, 'scenario')}, ${seconds}`;
}

/** Such as `73 exchanges judged, 2 of them without a whole body, 5 not sampled`. */
function trafficText(traffic: ReportedTraffic): string {
  const { exchanges, others, withoutBody, unanswered, notSampled, overload } = traffic;
  const { upgraded = 0, cutOff = 0, withoutHeaders = 0, local = 0, unreadable = 0 } = traffic;
  const parts: readonly (readonly [count: number, text: string])[] = [
    [withoutBody, 'of them without a whole body'],
    [withoutHeaders, 'of them without header fields'],
    [unanswered, 'without a response'],
    [notSampled, 'not sampled'],
    [overload, 'not judged because too many came at once'],
    [cutOff, 'cut off when the watch ended'],
    [upgraded, 'on upgraded connections, not judged'],
    [local, 'answered by a cache or the like, not by the service'],
    [unreadable, 'that could not be read'],
    [others, 'with other servers'],
  ];
  return [
    `${countText(exchanges, 'exchange')} judged`,
    ...parts.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`),
  ].join(', ');
}

/** Such as `1 request` or `12 requests`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A command line that a POSIX shell would take. */
export function commandText(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The argument as a POSIX shell would take it. */
export function shellWord(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}

/** What stands above failures that came with a later set of requirements than the one that decides. */
export function newerTitle({ requirementSet = 'of the run' }: Pick<Report, 'requirementSet'>): string {
  return `Newer than requirement set ${requirementSet}, so not scored`;
}
