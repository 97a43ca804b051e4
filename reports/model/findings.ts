import { STATUS_CODES } from 'node:http';
import type { Trail } from '../../contract/trail.ts';
import {
  EXPLORE,
  type Finding,
  type HeaderField,
  type RecordedExchange,
  type Tally,
} from '../../contract/verdict.ts';
import type { Report, ReportedExploration } from './report.ts';
import { proofRows, shortRows } from './trail.ts';
import { formatNumber, printableBlock, printableLine } from './words.ts';

/** A finding that can be repeated. */
export interface RepeatableFinding {
  /** Such as `update-sets-1`: the requirement, and which of its findings it is. */
  readonly id: string;
  readonly requirement: string;
  /** The statement of the requirement. */
  readonly title: string;
  readonly clause: string;
  readonly message: string;
  /** Id of the check that found it; `null` if the report does not say. */
  readonly check: string | null;
  readonly trail: Trail;
  /** Ids of the checks that the run performed; others than the one that found it may have had a part in it. */
  readonly checks: readonly string[];
  /** What was explored, if that found it. */
  readonly exploration: Pick<ReportedExploration, 'seed' | 'requests'> | null;
  /** Base address of the service, and its control URL if it has one. */
  readonly target: string;
  readonly control: string | null;
}

/** The id of a finding of a requirement. @param index from 0 */
export function findingId(requirement: string, index: number): string {
  return `${requirement}-${index + 1}`;
}

/** The findings of failed requirements that have a trail. */
export function repeatableFindings(report: Report): readonly RepeatableFinding[] {
  if (report.kind === 'certify') {
    return [];
  }
  const { target, requirements } = report;
  const { exploration = null, checks = [] } = report.kind === 'verify' ? report : {};
  return requirements
    .filter(({ outcome }) => outcome === 'fail')
    .flatMap(({ id, title, clause, findings }) =>
      findings.flatMap(({ message, check, trail }: Finding, index) =>
        trail === undefined
          ? []
          : [
              {
                id: findingId(id, index),
                requirement: id,
                title,
                clause,
                message,
                check: check ?? null,
                trail,
                checks: checks.map((performed) => performed.id),
                exploration: check === EXPLORE ? exploration : null,
                target: target.url,
                control: target.control,
              },
            ],
      ),
    );
}

/** How often a failure was seen, such as `Seen in 245 of 3,700 responses, 1 in 15.` */
export function tallyText({ violated, judged, of }: Tally): string {
  const seen = formatNumber(violated);
  if (judged === null) {
    return violated === 1 ? 'Seen once.' : `Seen ${seen} times.`;
  }
  const { one, many } = NOUNS[of];
  const all = `${formatNumber(judged)} ${judged === 1 ? one : many}`;
  if (violated === judged) {
    return judged === 1 ? `Seen in the only ${one}.` : `Seen in all ${all}.`;
  }
  const share = Math.round(judged / violated);
  return `Seen in ${seen} of ${all}${share > 1 ? `, 1 in ${formatNumber(share)}` : ''}.`;
}

/** What shows a violation in so many lines at most, and one that says how much was left out. */
export function ledThere({ trail }: Finding, most: number): readonly string[] {
  return trail === undefined ? [] : shortRows(proofRows(trail), most);
}

/** What is said of a failure that another one explains. */
export function followsText(root: string): string {
  return `It probably follows from ${printableLine(root)}.`;
}

const NOUNS: Readonly<Record<Tally['of'], { readonly one: string; readonly many: string }>> = {
  responses: { one: 'response', many: 'responses' },
  judgements: { one: 'try', many: 'tries' },
  scenarios: { one: 'scenario', many: 'scenarios' },
};

/** The parts of an HTTP message as it was recorded. */
export interface MessageParts {
  /** Method and URL, or status and reason. */
  readonly start: string;
  readonly headers: readonly HeaderField[];
  readonly body: string;
  /** Set if more of the body came than was recorded. */
  readonly note?: string;
}

/** The recorded request in its parts. */
export function requestParts({ request }: RecordedExchange): MessageParts {
  const { method, url, headers, body } = request;
  return { start: `${method} ${url}`, headers, body: body ?? '' };
}

/** The recorded response in its parts; `null` if there was none. */
export function responseParts({ response }: RecordedExchange): MessageParts | null {
  if (response === null) {
    return null;
  }
  const { status, headers, body, bodyBytes } = response;
  const start = `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  const note = bodyBytes > Buffer.byteLength(body) ? { note: `(the whole body has ${bodyBytes} bytes)` } : {};
  return { start, headers, body, ...note };
}

/** The recorded request as an HTTP message, safe to show; the body is cut after `limit` characters. */
export function requestText(exchange: RecordedExchange, limit: number): string {
  return messageText(requestParts(exchange), limit);
}

/** The recorded response as an HTTP message, safe to show, or a line that says that there was none. */
export function responseText(exchange: RecordedExchange, limit: number): string {
  const parts = responseParts(exchange);
  return parts === null ? 'no response' : messageText(parts, limit);
}

/** A header field in a line, safe to show. */
export function fieldText([name, value]: HeaderField): string {
  return `${printableLine(name)}: ${printableLine(value)}`;
}

function messageText({ start, headers, body, note }: MessageParts, limit: number): string {
  const shown = [printableBlock(body, limit), ...(note === undefined ? [] : [note])].filter(
    (text) => text !== '',
  );
  const rest = shown.length === 0 ? [] : ['', ...shown];
  return [printableLine(start), ...headers.map(fieldText), ...rest].join('\n');
}
