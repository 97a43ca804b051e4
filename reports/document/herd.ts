import type { ReportedHerd } from '../model/report.ts';
import { countText } from '../model/words.ts';
import * as doc from './document.ts';

/** How clients come back that are refused together. */
export function herdSection(herd: ReportedHerd): doc.DocumentBlock {
  return doc.section(
    `How ${countText(herd.clients, 'client')} that are refused together come back`,
    doc.lines(herdLines(herd), 'card lines'),
    doc.unlessTerminal(doc.table(returnTable(herd))),
  );
}

/** What came back after each refusal. */
function returnTable({ refusals }: ReportedHerd): doc.Table {
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

/** What that shows, in sentences. */
function herdLines(herd: ReportedHerd): readonly string[] {
  return [spreadLine(herd), ...growthLines(herd), earlinessLine(herd)];
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

function earlinessLine({ refusals, earliness: { waits, early, habit } }: ReportedHerd): string {
  if (habit === null) {
    const counted = `${countText(waits, 'wait')}${refusals.length > 1 ? ' after the second 429 and later ones' : ''}`;
    return early === 0
      ? `In none of ${counted} a client was early.`
      : `In ${early} of ${counted} a client was early by 4 ms or more: too few to say what it takes off as a rule.`;
  }
  const most = `${inMilliseconds(habit.mostMilliseconds)} at most`;
  const said = {
    amount: `${inMilliseconds(habit.size)} (${most}), the same for long and for short waits: a constant`,
    share: `${(habit.size * 100).toFixed(1)} % of Retry-After (${most}): a share`,
    unknown: `${inMilliseconds(habit.size)} (${most}), all after the same Retry-After`,
  }[habit.kind];
  return `In ${early} of ${countText(waits, 'wait')} a client was early, by ${said}. It takes off a little more than that, since a request takes its time to arrive.`;
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
