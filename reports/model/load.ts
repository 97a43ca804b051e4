import type {
  ComparedMeasure,
  LatencySummary,
  LoadMeasurement,
  LoadScenarioResult,
  LoadThreshold,
} from '../../contract/load-result.ts';
import type { CertifyReport, LoadEnvironment, LoadReport } from './report.ts';
import { OUTCOMES } from './requirement-groups.ts';
import { countText, printableLine } from './words.ts';

/** Longest name of a cause, a status or a parameter shown, in characters. */
const NAME_LIMIT = 200;

const NONE = '–';

/** Three significant digits, all digits before the decimal point and so many behind it at most. */
function significant(value: number, most: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, most));
}

/** Three significant digits without zeros at the end. */
export function figure(value: number): string {
  const text = significant(value, 6);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Milliseconds with their unit, to the microsecond at most; beyond ten seconds in seconds. */
export function timeText(milliseconds: number | null): string {
  if (milliseconds === null) {
    return NONE;
  }
  return milliseconds < 10_000
    ? `${significant(milliseconds, 3)} ms`
    : `${significant(milliseconds / 1000, 3)} s`;
}

/** Such as `499.8/s`. */
export function rateText(rate: number | null): string {
  return rate === null ? NONE : `${figureOfRate(rate)}/s`;
}

function figureOfRate(rate: number): string {
  if (rate < 1) {
    return figure(rate);
  }
  return rate < 1000 ? rate.toFixed(1).replace(/\.0$/, '') : rate.toFixed(0);
}

/** Processor, cores, Node and system in one line. */
export function machineText({ processor, cores, node, system }: LoadEnvironment): string {
  return `${processor}, ${countText(cores, 'core')}, Node ${node}, ${system}`;
}

/** A share as percent, such as `0.25 %`. */
export function percentText(share: number): string {
  return `${figure(share * 100)} %`;
}

/** The measured value, with the unit that ends its expression; '' if there is none. */
export function measuredText({ expression, value }: LoadThreshold): string {
  if (value === null) {
    return '';
  }
  const unit = /\d(\/s|\s*(?:ms|s|%))$/.exec(expression.trim())?.[1] ?? '';
  // Rounded any more, a value could seem to lie on the other side of its bound.
  const shown = Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(3);
  return `${Number(shown)}${unit}`;
}

/** How many scenarios had which outcome, such as `7: 2 fail, 5 pass`. */
export function scenarioCounts({ scenarios }: LoadReport | CertifyReport): string {
  const parts = OUTCOMES.flatMap((outcome) => {
    const count = scenarios.filter((scenario) => scenario.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  return [`${scenarios.length}`, ...(parts.length === 0 ? [] : [parts.join(', ')])].join(': ');
}

/** Counts by name, such as `7100 × 200, 12 × 429`; '' if there are none. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} × ${printableLine(name, NAME_LIMIT)}`)
    .join(', ');
}

/** How many requests were sent and never answered. */
export function allLost({ lost }: Pick<LoadMeasurement, 'lost'>): number {
  return Object.values(lost).reduce((sum, count) => sum + count, 0);
}

/** What was lost and what could not be sent, in words. */
function lossText(measurement: Pick<LoadMeasurement, 'lost' | 'unsent' | 'unsentBy' | 'repeated'>): string {
  const { lost, unsent, unsentBy = {}, repeated = 0 } = measurement;
  return [
    withCauses(`${allLost(measurement)} lost`, lost),
    ...(unsent > 0 ? [withCauses(`${unsent} not sent`, unsentBy)] : []),
    ...(repeated > 0 ? [`${repeated} sent again after a connection in use had ended`] : []),
  ].join(', ');
}

/** Causes in words; all others are words already, or of this machine. */
const CAUSES = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['UND_ERR_SOCKET', 'connection closed without a whole answer'],
]);

function withCauses(what: string, causes: LoadMeasurement['lost']): string {
  const named = Object.entries(causes).map(([cause, count]) => [
    cause.replace(/^\w+/, (code) => CAUSES.get(code) ?? code),
    count,
  ]);
  const text = countsText(Object.fromEntries(named));
  return text === '' ? what : `${what} (${text})`;
}

/** Such as `40/s due, 40/s sent, 38/s answered 2xx, 2/s lost`. */
export function ratesText(measurement: LoadMeasurement): string {
  const { model, durationSeconds, scheduledRate, achievedRate, goodput, answers, sent, unsent } = measurement;
  const rates = [
    ['answered otherwise', answers?.other.rate ?? 0],
    ['lost', (achievedRate * allLost(measurement)) / Math.max(1, sent)],
    ['not sent', unsent / durationSeconds],
  ] as const;
  return [
    ...(model === 'open' ? [`${rateText(scheduledRate)} due`] : []),
    `${rateText(achievedRate)} sent${model === 'open' ? '' : ' in a closed loop'}`,
    `${rateText(goodput)} answered 2xx`,
    ...rates.flatMap(([name, rate]) => (rate > 0 ? [`${rateText(rate)} ${name}`] : [])),
  ].join(', ');
}

/** How requests ended, such as `200 sent: 190 × 200; 10 lost (10 × timeout)`. */
export function endsText(
  measurement: Pick<LoadMeasurement, 'sent' | 'statuses' | 'lost' | 'unsent' | 'unsentBy' | 'repeated'>,
): string {
  const answers = countsText(measurement.statuses);
  return `${measurement.sent} sent: ${answers === '' ? 'no answers' : answers}; ${lossText(measurement)}`;
}

// Fewer than one in a hundred move none of the percentiles that are shown first.
const LEAST_SHARE = 0.01;

/** The response times of each kind of answer, if those of all together say little about any of them. */
export function timesByAnswer({
  responseTime,
  answers,
}: LoadMeasurement): readonly (readonly [kind: string, times: LatencySummary])[] {
  const least = LEAST_SHARE * responseTime.count;
  const kinds = (
    [
      ['answered 2xx', answers?.success.responseTime],
      ['answered otherwise', answers?.other.responseTime],
    ] as const
  ).flatMap(([kind, times]) =>
    times === undefined || times.count === 0 || times.count < least ? [] : [[kind, times] as const],
  );
  // Those that were given up are in the whole, too.
  return kinds.length === 1 && responseTime.count - (kinds[0]?.[1].count ?? 0) < least ? [] : kinds;
}

/** The percentiles that a reader asks for first. */
export function percentilesText({ p50, p99, p999, max }: LatencySummary): string {
  return `p50 ${timeText(p50)}, p99 ${timeText(p99)}, p99.9 ${timeText(p999)}, max ${timeText(max)}`;
}

/** `Round 2 of 3`, or '' if there is only one. */
export function roundText({ measurements, parameters }: LoadScenarioResult, index: number): string {
  const rounds = Math.max(measurements.length, Number(parameters['rounds'] ?? 1));
  return rounds === 1 ? '' : `Round ${index + 1} of ${rounds}`;
}

/** What a search for the capacity found. */
export function capacityText({ capacity, capacitySteps }: LoadScenarioResult): string {
  const none = capacitySteps.some(({ held }) => held)
    ? 'No capacity was confirmed'
    : 'No rate met the objective';
  return capacity === null ? none : `Capacity ${rateText(capacity)}`;
}

/** The change with its bounds, such as `+11.4 % (+7.1 % to +15.8 %)`. */
export function changeText({ change, lower, upper }: ComparedMeasure): string {
  return `${signedPercent(change)} (${signedPercent(lower)} to ${signedPercent(upper)})`;
}

function signedPercent(share: number): string {
  const text = (share * 100).toFixed(1);
  return `${share > 0 ? '+' : ''}${text === '-0.0' ? '0.0' : text} %`;
}

/** A measure with its unit: `18.5 ms`, `7218/s`. */
export function measureText(value: number, unit: string): string {
  const shown = printableLine(unit, NAME_LIMIT);
  return `${figure(value)}${shown === '' || shown.startsWith('/') ? '' : ' '}${shown}`;
}
