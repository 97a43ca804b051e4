import type { Finding } from '../../contract/verdict.ts';
import type { ReportedScenario, TimelineEntry } from './report.ts';
import { printableLine } from './words.ts';

/** Longest request target and field value shown, in characters. */
const VALUE_LIMIT = 200;

/** Waits named one by one before the rest is counted. */
const WAITS_SHOWN = 12;

/** Whether a reader should look at the scenario: it neither passed nor was only observed. */
export function needsAttention({ outcome }: ReportedScenario): boolean {
  return outcome !== 'pass' && outcome !== 'observed';
}

/** The scenario in which a finding was made: its title begins the message. */
export function scenarioOf(
  { message }: Finding,
  scenarios: readonly ReportedScenario[],
): ReportedScenario | undefined {
  // One title may begin another: "List" and "List: 401".
  return scenarios
    .filter(({ title }) => message.startsWith(`${title}: `))
    .toSorted((left, right) => right.title.length - left.title.length)[0];
}

/**
 * How many seconds before the earlier answers allowed it the request at that index came;
 * `null` if it was not early.
 */
export function earlySeconds(timeline: readonly TimelineEntry[], index: number): number | null {
  const entry = timeline[index];
  if (entry?.isEarly !== true) {
    return null;
  }
  const allowed = timeline.flatMap(({ answeredSeconds, allowedSeconds }, other) =>
    other !== index &&
    answeredSeconds !== null &&
    allowedSeconds !== null &&
    answeredSeconds <= entry.receivedSeconds
      ? [allowedSeconds]
      : [],
  );
  return Math.max(0, ...allowed.map((moment) => moment - entry.receivedSeconds));
}

/** Seconds from each answer that asked to wait until the next request, in order. */
export function waitsOf(timeline: readonly TimelineEntry[]): readonly number[] {
  return timeline.flatMap(({ answeredSeconds, allowedSeconds }, index) => {
    const next = timeline[index + 1];
    return answeredSeconds === null || allowedSeconds === null || next === undefined
      ? []
      : [Math.max(0, next.receivedSeconds - answeredSeconds)];
  });
}

/** The waits with their growth and jitter, in a sentence; '' if the client sent nothing more. */
export function backoffText({ timeline, backoff }: ReportedScenario): string {
  const waits = waitsOf(timeline);
  if (waits.length === 0) {
    return '';
  }
  const shown = waits.slice(0, WAITS_SHOWN).map((wait) => wait.toFixed(2));
  const rest = waits.length > WAITS_SHOWN ? ` and ${waits.length - WAITS_SHOWN} more` : '';
  const trend = backoff === null ? '' : `; ${trendText(backoff)}`;
  return `It waited ${shown.join(', ')} s${rest}${trend}.`;
}

function trendText({ factor, jitter }: NonNullable<ReportedScenario['backoff']>): string {
  const times = factor.toFixed(1);
  const growth =
    times === '1.0' ? 'each wait as long as the one before' : `each wait ${times} times the one before`;
  return `${growth}, jitter ${(jitter * 100).toFixed(0)} %`;
}

/** Method and target, safe to show. */
export function requestLine({ method, target }: TimelineEntry): string {
  return `${printableLine(method, VALUE_LIMIT)} ${printableLine(target, VALUE_LIMIT)}`;
}

/** How much too early the request at that index came, such as `0.750 s`; `undefined` if it did not. */
export function earlyText(timeline: readonly TimelineEntry[], index: number): string | undefined {
  const early = earlySeconds(timeline, index);
  return early === null ? undefined : momentText(early);
}

/** To the millisecond, which is as exact as the reports are. */
export function momentText(seconds: number): string {
  return `${seconds.toFixed(3)} s`;
}
