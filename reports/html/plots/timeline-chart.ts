import type { ReportedScenario, TimelineEntry } from '../../model/report.ts';
import { earlyText, requestLine } from '../../model/timeline.ts';
import { countText, printableLine } from '../../model/words.ts';
import { NO_HTML } from '../parts.ts';
import { html, type Html } from '../template.ts';

/** The colour of each class of status, by what a legend calls it and in the order of a legend. */
export const STATUS_COLORS: ReadonlyMap<string, string> = new Map([
  ['2xx', 'var(--pass)'],
  ['429', 'var(--inconclusive)'],
  ['3xx', 'var(--observed)'],
  ['other 4xx', 'var(--refused)'],
  ['5xx', 'var(--fail)'],
  ['other', 'var(--skipped)'],
]);

/** More requests than this are in the table only. */
const LANES_SHOWN = 16;

/** Lengths in user units of the drawing. */
const WIDTH = 760;
const LEFT = 30;
const RIGHT = WIDTH - 14;
const LANE = 35;
const TOP = 4;
const BAR_TOP = 19;
const BAR_HEIGHT = 10;
const BAR_MIDDLE = BAR_TOP + BAR_HEIGHT / 2;
const SHORTEST_BAR = 4;
const AXIS_HEIGHT = 24;
const CHARACTER_WIDTH = 6.3;

/** Longest request line and Retry-After in a label, in characters. */
const LABEL_LIMIT = 60;

interface Drawing {
  /** What has a lane. */
  readonly timeline: readonly TimelineEntry[];
  /** What has none. */
  readonly hidden: readonly TimelineEntry[];
  readonly scale: TimeScale;
}

/**
 * The requests of a scenario as a drawing: a lane for each, with a bar from its arrival to the answer, a span for
 * as long as the client had to wait, and a mark on that span where its next request came. `id` is unique in the page.
 */
export function timelineChart(scenario: ReportedScenario, id: string): Html {
  const timeline = scenario.timeline.slice(0, LANES_SHOWN);
  const hidden = scenario.timeline.slice(LANES_SHOWN);
  // The axis is for what is drawn: a client that never stops would press it all to the left.
  const durationSeconds = hidden.length > 0 ? 0 : scenario.durationSeconds;
  const drawing: Drawing = { timeline, hidden, scale: timeScale({ timeline, durationSeconds }) };
  const floor = laneTop(timeline.length + (hidden.length > 0 ? 0.5 : 0)) + 4;
  return html`<svg
    class="chart"
    viewBox="0 0 ${WIDTH} ${floor + AXIS_HEIGHT}"
    role="img"
    aria-labelledby="${id}-title ${id}-description"
  >
    <title id="${id}-title">Timeline: ${printableLine(scenario.title)}</title>
    <desc id="${id}-description">${description(scenario)}</desc>
    ${gridHtml(drawing.scale, floor)}
    ${hidden.length > 0 ? NO_HTML : endHtml(drawing.scale, durationSeconds, floor)}
    ${timeline.map((entry, index) => spanHtml(drawing, entry, index))}
    ${timeline.map((entry, index) => barHtml(drawing, entry, index))}
    ${timeline.map((_, index) => returnHtml(drawing, index))}
    ${timeline.map((entry, index) => labelHtml(drawing, entry, index))} ${restHtml(drawing)}
  </svg>`;
}

function description({ timeline, durationSeconds }: ReportedScenario): string {
  const early = timeline.filter(({ isEarly }) => isEarly).length;
  const hidden = timeline.length - LANES_SHOWN;
  return [
    `${countText(timeline.length, 'request')} in ${durationSeconds.toFixed(2)} s`,
    early === 0 ? 'none came too early' : `${early} came too early`,
    ...(hidden > 0 ? [`the first ${LANES_SHOWN} are drawn`] : []),
    'the table of the requests has every moment',
  ].join('; ');
}

/** Says how many requests have no lane. */
function restHtml({ timeline, hidden }: Drawing): Html {
  const last = hidden.at(-1);
  return last === undefined
    ? NO_HTML
    : html`<text class="label to-right" x="${LEFT}" y="${laneTop(timeline.length) + 13}">
        and ${hidden.length} more until ${last.receivedSeconds.toFixed(2)} s
      </text>`;
}

/** Where the moment lies, in user units; never beyond the axis. */
function place({ end }: TimeScale, seconds: number): number {
  const share = Math.min(1, Math.max(0, seconds / end));
  return Math.round((LEFT + share * (RIGHT - LEFT)) * 10) / 10;
}

function laneTop(index: number): number {
  return TOP + index * LANE;
}

function gridHtml(scale: TimeScale, floor: number): Html {
  const ticks = scale.ticks.map((moment) => {
    const x = place(scale, moment);
    const label = moment === 0 ? '0' : `${moment.toFixed(scale.digits)} s`;
    return html`<path class="grid" d="M${x} ${TOP} V${floor + 4}" />
      <text class="tick" x="${x}" y="${floor + 18}">${label}</text>`;
  });
  return html`${ticks}<path class="axis" d="M${LEFT} ${floor} H${RIGHT}" />`;
}

/** Where the scenario ended. */
function endHtml(scale: TimeScale, durationSeconds: number, floor: number): Html {
  const x = place(scale, durationSeconds);
  return html`<path class="end" d="M${x} ${TOP} V${floor}" />
    <rect class="end-mark" x="${x - 4}" y="${floor - 4}" width="8" height="8" />`;
}

/** How long the client must wait. */
function spanHtml({ scale }: Drawing, entry: TimelineEntry, index: number): Html {
  const { answeredSeconds, allowedSeconds } = entry;
  if (answeredSeconds === null || allowedSeconds === null) {
    return NO_HTML;
  }
  const middle = laneTop(index) + BAR_MIDDLE;
  const from = place(scale, answeredSeconds);
  const to = place(scale, allowedSeconds);
  const edge =
    allowedSeconds > scale.end
      ? html`<path class="allowed" d="M${to - 6} ${middle - 5} L${to} ${middle} L${to - 6} ${middle + 5}" />`
      : html`<path class="allowed" d="M${to} ${middle - 7} V${middle + 7}" />`;
  return html`<rect
      class="wait"
      x="${from}"
      y="${middle - 5}"
      width="${Math.max(0, to - from)}"
      height="10"
    />
    <path class="wait-line" d="M${from} ${middle} H${to}" />
    ${edge}`;
}

function barHtml({ scale }: Drawing, entry: TimelineEntry, index: number): Html {
  const { receivedSeconds, answeredSeconds, status } = entry;
  const from = place(scale, receivedSeconds);
  const to = place(scale, answeredSeconds ?? scale.end);
  return html`<rect
    ${status === null ? html`class="unanswered"` : html`fill="${colorOf(status) ?? 'none'}"`}
    x="${from}"
    y="${laneTop(index) + BAR_TOP}"
    width="${Math.max(SHORTEST_BAR, to - from)}"
    height="${BAR_HEIGHT}"
    rx="2"
  />`;
}

function colorOf(status: number): string | undefined {
  const classes = ['other', 'other', '2xx', '3xx', 'other 4xx', '5xx'] as const;
  return STATUS_COLORS.get(status === 429 ? '429' : (classes[Math.floor(status / 100)] ?? 'other'));
}

/** Leads from the lane before to the next request, with a mark that shows whether it was early or allowed. */
function returnHtml({ timeline, scale }: Drawing, index: number): Html {
  const entry = timeline[index];
  if (entry === undefined || index === 0) {
    return NO_HTML;
  }
  const x = place(scale, entry.receivedSeconds);
  const from = laneTop(index - 1) + BAR_MIDDLE;
  const tone = entry.isEarly ? 'early' : 'in-time';
  const mark = entry.isEarly
    ? html`<path
        class="arrival ${tone}"
        d="M${x} ${from - 7} L${x + 7} ${from} L${x} ${from + 7} L${x - 7} ${from} Z"
      />`
    : html`<circle class="arrival ${tone}" cx="${x}" cy="${from}" r="4" />`;
  return html`<path class="return ${tone}" d="M${x} ${from} V${laneTop(index) + BAR_TOP}" /> ${mark}`;
}

function labelHtml({ timeline, scale }: Drawing, entry: TimelineEntry, index: number): Html {
  const { receivedSeconds, answeredSeconds } = entry;
  const early = earlyText(timeline, index);
  const warning = early === undefined ? '' : `▲ ${early} early`;
  const answer = answerText(timeline, scale, index);
  const from = place(scale, receivedSeconds);
  const to = Math.max(from + SHORTEST_BAR, place(scale, answeredSeconds ?? scale.end));
  const width = (warning.length + answer.length) * CHARACTER_WIDTH;
  const isToTheLeft = from + width > RIGHT && to - LEFT > RIGHT - from;
  // Clear of the line that leads down to the bar.
  const x = isToTheLeft ? to - 9 : from + (index === 0 ? 0 : 9);
  const y = laneTop(index) + 13;
  return html`<text class="lane" x="${LEFT - 8}" y="${y + 14}">${index + 1}</text>
    <text class="label ${isToTheLeft ? 'to-left' : 'to-right'}" x="${x}" y="${y}">
      <tspan class="early-text">${warning}</tspan> ${answer}
    </text>`;
}

/** The answer, and the request if it differs from the one before. */
function answerText(timeline: readonly TimelineEntry[], scale: TimeScale, index: number): string {
  const entry = timeline[index];
  if (entry === undefined) {
    return '';
  }
  const { status, retryAfter, allowedSeconds } = entry;
  const before = timeline[index - 1];
  const isSame = before?.method === entry.method && before.target === entry.target;
  const isCut = allowedSeconds !== null && allowedSeconds > scale.end;
  return [
    isSame ? '' : `${requestLine(entry, LABEL_LIMIT)} `,
    status === null ? 'no answer' : `→ ${status}`,
    retryAfter === null ? '' : `, Retry-After: ${printableLine(retryAfter, LABEL_LIMIT)}`,
    isCut ? ` (until ${allowedSeconds.toFixed(1)} s)` : '',
  ].join('');
}

/** The time axis of a chart. */
type TimeScale = ReturnType<typeof timeScale>;

/** A wait may take up this much more room than what happened; of a longer one the beginning is shown. */
const WAIT_SHARE = 4;
const SHORTEST_AXIS_SECONDS = 0.01;
const FEWEST_STEPS = 4;
const STEPS = [5, 2, 1] as const;

/** The axis on which all that happened in the scenario can be seen. */
export function timeScale({
  timeline,
  durationSeconds,
}: Pick<ReportedScenario, 'timeline' | 'durationSeconds'>) {
  const happened = Math.max(
    SHORTEST_AXIS_SECONDS,
    durationSeconds,
    ...timeline.flatMap(({ receivedSeconds, answeredSeconds }) => [
      receivedSeconds,
      answeredSeconds ?? receivedSeconds,
    ]),
  );
  const allowed = Math.max(0, ...timeline.map(({ allowedSeconds }) => allowedSeconds ?? 0));
  const end = Math.max(happened, Math.min(allowed, happened * WAIT_SHARE)) * 1.02;
  const power = Math.floor(Math.log10(end / FEWEST_STEPS));
  const step = (STEPS.find((factor) => factor * 10 ** power <= end / FEWEST_STEPS) ?? 1) * 10 ** power;
  return {
    /** Seconds at the right end of the axis, more than 0. */
    end,
    /** Round moments on the axis, from 0, in seconds. */
    ticks: Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step),
    /** Digits after the decimal point that make the ticks distinct. */
    digits: Math.max(0, -power),
  };
}
