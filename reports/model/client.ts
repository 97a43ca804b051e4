import { DAY_SECONDS } from '../../contract/plans.ts';
import type { ReportedFreedom, ReportedHerd, ReportedServer } from './report.ts';
import type { Table } from '../document/document.ts';
import { countText } from './words.ts';

/** The choices that a client was tried with. */
export function freedomTable(freedoms: readonly ReportedFreedom[]): Table {
  return {
    caption: 'Choices that services may make',
    columns: ['What services may do', 'Of what is left open', 'Scenarios', 'Failed in'],
    rows: freedoms.map(({ title, freedom, scenarios, failed }) => [
      title,
      freedom,
      scenarios,
      failed.map(({ scenario }) => scenario).join(', '),
    ]),
  };
}

/** Such as `It passes with 88 of 90 choices that services may make; it fails with 2`. */
export function freedomsText(freedoms: readonly ReportedFreedom[]): string {
  const failed = failedFreedoms(freedoms).length;
  const tried = `${countText(freedoms.length, 'choice')} that services may make`;
  return failed === 0 ? `It passes with all ${tried}` : `It fails with ${failed} of ${tried}`;
}

/** The choices that it failed with, those of most scenarios first. */
export function failedFreedoms(freedoms: readonly ReportedFreedom[]): readonly ReportedFreedom[] {
  return freedoms
    .filter(({ failed }) => failed.length > 0)
    .toSorted((one, other) => other.failed.length - one.failed.length);
}

/** What came back after each refusal. */
export function returnTable({ refusals }: ReportedHerd): Table {
  return {
    caption: 'Returns after each refusal',
    columns: [
      'Refusal',
      'Retry-After',
      'Came back',
      'Median after it',
      'First to last',
      'Interquartile range',
      'In the busiest 100 ms',
    ],
    rows: refusals.map((returns, index) => [
      `${index + 1}`,
      `${returns.retryAfterSeconds} s`,
      returns.milliseconds.length,
      inMilliseconds(returns.median),
      inMilliseconds(returns.range),
      inMilliseconds(returns.interquartileRange),
      inPercent(returns.busiestShare),
    ]),
  };
}

/** Such as `How 16 clients come back that are refused together`. */
export function herdTitle({ clients }: ReportedHerd): string {
  return `How ${countText(clients, 'client')} that are refused together come back`;
}

/** What that shows, in sentences. */
export function herdLines(herd: ReportedHerd): readonly string[] {
  return [spreadLine(herd), ...growthLines(herd), earlinessLine(herd), longestWaitLine(herd)];
}

function spreadLine({ clients, refusals: [first] }: ReportedHerd): string {
  if (first === undefined) {
    return 'None came back: the client gives up at the first 429.';
  }
  const { milliseconds, retryAfterSeconds, interquartileRange, busiestShare } = first;
  const [earliest = 0, latest = 0] = [milliseconds[0], milliseconds.at(-1)];
  const came = milliseconds.length === clients ? `All ${clients}` : `${milliseconds.length} of ${clients}`;
  const figures = `${came} came back from ${relativeText(earliest)} to ${relativeText(latest)} Retry-After: ${retryAfterSeconds} had passed, ${inPercent(busiestShare)} of them within 100 ms (interquartile range ${inMilliseconds(interquartileRange)}).`;
  return busiestShare >= 0.9
    ? `${figures} A service that refuses many at once has them all back at once: random jitter on top of Retry-After spreads them.`
    : figures;
}

function growthLines({ growth, refusals }: ReportedHerd): readonly string[] {
  if (refusals.length < 2) {
    return [];
  }
  const medians = refusals.map(({ median }) => inMilliseconds(median)).join(', ');
  const said = {
    growing: 'it grows from refusal to refusal',
    varying: 'it differs from refusal to refusal, and does not grow',
    constant: 'it does not grow',
    'too few': 'too few to say whether it grows',
  }[growth];
  return [`Waited beyond Retry-After, as the median of the clients: ${medians}; ${said}.`];
}

function earlinessLine({ earliness: { waits, early, habit } }: ReportedHerd): string {
  if (habit === null) {
    return early === 0
      ? `In none of ${countText(waits, 'wait')} a client was early.`
      : `In ${early} of ${countText(waits, 'wait')} a client was early by 4 ms or more. That is no habit.`;
  }
  const most = `${inMilliseconds(habit.mostMilliseconds)} at most`;
  const said = {
    amount: `${inMilliseconds(habit.size)} (${most}), the same for long and for short waits: a constant`,
    share: `${(habit.size * 100).toFixed(1)} % of Retry-After (${most}): a share`,
    unknown: `${inMilliseconds(habit.size)} (${most}), all after the same Retry-After`,
  }[habit.kind];
  return `In ${early} of ${countText(waits, 'wait')} a client was early, by ${said}. It takes off a little more than that, since a request takes its time to arrive.`;
}

function longestWaitLine({ longestWait: { begun, declined, ended, watched, trials } }: ReportedHerd): string {
  const conduct = trials.find(({ seconds }) => seconds === declined)?.conduct;
  const overflow = trials.some(
    (trial) =>
      trial.conduct === 'comes back early' &&
      trial.seconds > (declined ?? begun) &&
      trial.seconds > DAY_SECONDS,
  );
  const what =
    declined === null
      ? 'It begins to wait for a Retry-After of up to a day or more'
      : `${begun === 0 ? 'It does not wait at all' : `It begins to wait for a Retry-After of up to ${begun} s`}, and ${conductText(conduct)} from ${declined} s on`;
  const end =
    ended === null ? 'no wait was seen to its end' : `the longest wait seen to its end is ${ended} s`;
  return `${what}. Each wait was watched for ${watched} s only; ${end}.${overflow ? ' After a Retry-After of 31 days it came back at once, as a timer of 31 bits does.' : ''}`;
}

function conductText(conduct: string | undefined): string {
  switch (conduct) {
    case 'gives up':
      return 'gives up at once';
    case 'comes back early':
      return 'comes back too early';
    default:
      return 'does otherwise';
  }
}

/** Such as `3 ms before` and `12 ms after`; what stands behind it is a moment. */
function relativeText(milliseconds: number): string {
  return milliseconds < 0
    ? `${inMilliseconds(-milliseconds)} before`
    : `${inMilliseconds(milliseconds)} after`;
}

function inMilliseconds(value: number): string {
  return Math.abs(value) >= 10_000 ? `${(value / 1_000).toFixed(1)} s` : `${value.toFixed(0)} ms`;
}

function inPercent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

/** Such as `The server kept the specification in all 312 responses`. */
export function serverText({ responses, accusations, breaks }: ReportedServer): string {
  const onPurpose = breaks.map(({ scenario, requirements }) => `${scenario}: ${requirements.join(', ')}`);
  const but =
    onPurpose.length === 0 ? '' : `, unless a scenario breaks it on purpose (${onPurpose.join('; ')})`;
  const accused = new Set(accusations.map(({ scenario }) => scenario)).size;
  return accused === 0
    ? `The server kept the specification in all ${countText(responses, 'response')}${but}`
    : `The server did not keep the specification in ${countText(accused, 'scenario')}, of which nothing is said`;
}
