import type { Report } from '../model/report.ts';
import { VERDICT_OUTCOME } from '../model/requirement-groups.ts';

const LABEL = 'stockcheck';

/** Such as `conformant, profile full`. */
function messageOf({ kind, verdict, profile }: Report): string {
  const verdictText = verdict === 'not-certified' ? 'not certified' : verdict;
  const scope = kind === 'verify' ? `, profile ${profile}` : kind === 'load' ? ' under load' : '';
  return `${verdictText}${scope}`;
}

// Each has a contrast of at least 4.5 to 1 with white (WCAG 2.2, success criterion 1.4.3).
const COLOURS = { pass: '1a7f37', fail: 'b3261e', inconclusive: '8a5a00' } as const;
const GREY = '4a4f57';

const HEIGHT = 20;
const PADDING = 8;
/** Of an average character at 11 px; the text is stretched to what it says. */
const CHARACTER = 6.6;

/** The verdict as an image: a label and a message side by side, which a screen reader reads as one title. */
export function renderBadge(report: Report): string {
  const message = messageOf(report);
  const left = boxWidth(LABEL);
  const right = boxWidth(message);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-labelledby="title">
  <title id="title">${LABEL}: ${message}</title>
  <clipPath id="round"><rect width="${left + right}" height="${HEIGHT}" rx="4"/></clipPath>
  <g clip-path="url(#round)">
    <rect width="${left}" height="${HEIGHT}" fill="#${GREY}"/>
    <rect x="${left}" width="${right}" height="${HEIGHT}" fill="#${COLOURS[VERDICT_OUTCOME[report.verdict]]}"/>
  </g>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">
    ${textAt(LABEL, 0, left)}
    ${textAt(message, left, right)}
  </g>
</svg>
`;
}

function textAt(text: string, from: number, width: number): string {
  return `<text x="${from + PADDING}" y="14" textLength="${width - 2 * PADDING}">${text}</text>`;
}

function boxWidth(text: string): number {
  return Math.round(text.length * CHARACTER) + 2 * PADDING;
}

/** The same for a service that draws badges itself: the schema of an endpoint badge of shields.io. */
export function renderEndpointBadge(report: Report): string {
  const outcome = VERDICT_OUTCOME[report.verdict];
  const badge = {
    schemaVersion: 1,
    label: LABEL,
    message: messageOf(report),
    color: COLOURS[outcome],
    isError: outcome === 'fail',
  };
  return `${JSON.stringify(badge, null, 2)}\n`;
}
