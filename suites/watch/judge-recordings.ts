import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { headerValues } from '../../contract/rate-limit-headers.ts';
import type { TrafficCounts } from '../../contract/verdict.ts';
import {
  collectJudgements,
  outcomeOfWrite,
  readFields,
  tellInOrder,
  type Judgement,
  type ObservedValue,
} from '../oracle/index.ts';
import type { Redactor } from '../target/index.ts';
import { judgeStream } from './judge-stream.ts';
import { pathBelow, type BaseAddress } from './traffic/base-address.ts';
import { isWithoutKey, type PlanKey } from './traffic/callers.ts';
import type { RecordedTraffic } from './traffic/har.ts';
import { markUnseenFields, splitByClock, withoutDuplicates } from './traffic/recordings.ts';
import type { TrafficExchange, TrafficRequest } from './traffic/traffic-exchange.ts';

/** What recordings showed. */
export interface TrafficFindings extends TrafficCounts {
  readonly judgements: readonly Judgement[];
  readonly observations: Readonly<Record<string, ObservedValue | readonly string[]>>;
}

export interface TrafficOptions {
  readonly base: BaseAddress;
  readonly keys: readonly PlanKey[];
  readonly redactor: Redactor;
  /** Whether nobody else uses the described keys or writes to the inventory. */
  readonly isExclusive: boolean;
}

/**
 * Judges recordings, each as a history of its own: the clocks of two recorders may differ, and neither saw all
 * requests. A recording that was made by several clocks is as many.
 */
export function judgeRecordings(
  recordings: readonly RecordedTraffic[],
  { base, keys, redactor, isExclusive }: TrafficOptions,
): TrafficFindings {
  const judgements = collectJudgements();
  const isOurs = (url: string | null): boolean => url === null || pathBelow(base, url) !== null;
  const ours = recordings.map(({ exchanges, unreadable, lowersMethods }) => {
    const recorded = exchanges.filter(({ request }) => isOurs(request.url));
    const kept = withoutDuplicates(recorded);
    return {
      exchanges: markUnseenFields(kept),
      repeated: recorded.length - kept.length,
      lowered: lowersMethods === true ? kept.length : 0,
      unreadable: unreadable.filter(({ url }) => isOurs(url)),
    };
  });
  let ofGateway = 0;
  for (const { exchanges, unreadable } of ours) {
    // Some recorders leave credentials out of what they write, and then out of all requests.
    const withoutAuthorization = exchanges.every(({ request }) =>
      headerValues(request.headers, 'Authorization').every(isWithoutKey),
    );
    const parts = splitByClock(exchanges);
    const tellsHost = exchanges.some(({ request }) => namesHost(request));
    const mayLackAuthorization = (request: Pick<TrafficRequest, 'headers'>): boolean =>
      withoutAuthorization || (tellsHost && !namesHost(request));
    const expected = exchanges.length;
    const common = { base, keys, redactor, judgements, mayLackAuthorization, expected };
    const isWhole = parts.length === 1 && unreadable.length === 0;
    for (const part of parts) {
      const judge = judgeStream({ ...common, isExclusive: isExclusive && isWhole });
      tellInOrder(
        part,
        ({ request, endedAt }) => ({ from: request.sentAt, to: endedAt }),
        (exchange) => {
          const isRefused = outcomeOfWrite(exchange.response?.status ?? null) === 'refused';
          const ended = judge.began(exchange.request, isRefused);
          return () => ended(exchange);
        },
      );
      ofGateway += judge.ofGateway();
    }
  }
  const seen = ours.flatMap(({ exchanges }) => exchanges);
  const repeated = ours.reduce((sum, part) => sum + part.repeated, 0);
  const lowered = ours.reduce((sum, part) => sum + part.lowered, 0);
  const all = seen.filter(({ isLocal }) => isLocal !== true);
  const said = SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id));
  return {
    judgements: areIdsRounded(all) ? said.map(noteRounding) : said,
    observations: judgements.observations(),
    exchanges: all.length - ofGateway,
    others: recordings.flatMap(({ exchanges }) => exchanges).length - seen.length - repeated,
    repeated,
    lowered,
    withoutBody: all.filter(lacksBody).length,
    leftOpen: all.filter(isLeftOpen).length,
    unanswered: all.filter(({ response }) => response === null).length,
    withoutHeaders: all.filter(({ response }) => response?.omittedHeaders !== undefined).length,
    local: seen.length - all.length + ofGateway,
    unreadable: ours.flatMap(({ unreadable }) => unreadable).length,
  };
}

/** Whether each number in an answer, if an int64 may lose digits as a double, is what a double makes of it. */
function areIdsRounded(exchanges: readonly TrafficExchange[]): boolean {
  const long = exchanges.flatMap(({ response }) => response?.body?.toString().match(LONG_NUMBER) ?? []);
  return (
    long.some((digits) => !Number.isSafeInteger(Number(digits))) &&
    long.every((digits) => String(Number(digits)) === digits)
  );
}

const LONG_NUMBER = /\d{16,}/g;

function noteRounding(judgement: Judgement): Judgement {
  const note =
    ' Each petId of the recording is as a double holds it, so that its recorder may have rounded it.';
  const findings = judgement.findings.map((finding) =>
    finding.message.match(LONG_NUMBER) === null ? finding : { ...finding, message: finding.message + note },
  );
  return { ...judgement, findings };
}

/** No request lacks its host (RFC 9112, section 3.2; RFC 9113, section 8.3.1), so that a recorder left more out if that is missing. */
function namesHost({ headers }: Pick<TrafficRequest, 'headers'>): boolean {
  return headers.some(([name]) => /^(?:host|:authority)$/i.test(name));
}

/** Whether a header field of a request leaves open how it is answered; apart from the length of a body that was not recorded. */
export function isLeftOpen({ request }: TrafficExchange): boolean {
  return isAsSent(request) && readFields({ headers: request.headers, body: request.body ?? null }) === 'open';
}

/** Whether a body of an exchange was not recorded, or not as it was sent. */
export function lacksBody({ request, response }: TrafficExchange): boolean {
  return !isAsSent(request) || (response !== null && response.body === undefined);
}

function isAsSent({ headers, body }: TrafficRequest): boolean {
  const [length] = headerValues(headers, 'Content-Length');
  return (
    body !== undefined &&
    (body === null || length === undefined || Number(length) === Buffer.byteLength(body))
  );
}
