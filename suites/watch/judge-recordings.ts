import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { headerValues } from '../../contract/rate-limit-headers.ts';
import type { TrafficCounts } from '../../contract/verdict.ts';
import { countText } from '../../contract/words/enumeration.ts';
import {
  collectJudgements,
  outcomeOfWrite,
  readFields,
  tellInOrder,
  type Judgement,
  type Judgements,
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
  options: TrafficOptions,
): TrafficFindings {
  const isOurs = (url: string | null): boolean => url === null || pathBelow(options.base, url) !== null;
  const ours = recordings.map(({ exchanges, unreadable, lowersMethods }) => ({
    recorded: markUnseenFields(exchanges.filter(({ request }) => isOurs(request.url))),
    lowersMethods,
    unreadable: unreadable.filter(({ url }) => isOurs(url)),
  }));
  const single = ours.map((one) => ({ ...one, recorded: withoutDuplicates(one.recorded) }));
  const seen = single.flatMap(({ recorded }) => recorded);
  const repeated = ours.flatMap(({ recorded }) => recorded).length - seen.length;
  const { judgements, ofGateway } = judgeAll(single, options);
  const all = seen.filter(({ isLocal }) => isLocal !== true);
  const judged = SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id));
  const said = repeated === 0 ? judged : unlessApart(judged, judgeAll(ours, options).judgements, repeated);
  return {
    judgements: areIdsRounded(all) ? said.map(noteRounding) : said,
    observations: judgements.observations(),
    exchanges: all.length - ofGateway,
    others: recordings.flatMap(({ exchanges }) => exchanges).length - seen.length - repeated,
    repeated,
    lowered: single.filter(({ lowersMethods }) => lowersMethods === true).flatMap(({ recorded }) => recorded)
      .length,
    withoutBody: all.filter(lacksBody).length,
    leftOpen: all.filter(isLeftOpen).length,
    unanswered: all.filter(({ response }) => response === null).length,
    withoutHeaders: all.filter(({ response }) => response?.omittedHeaders !== undefined).length,
    local: seen.length - all.length + ofGateway,
    unreadable: ours.flatMap(({ unreadable }) => unreadable).length,
  };
}

/** What of a recording went to the service. */
interface OwnTraffic extends Pick<RecordedTraffic, 'unreadable'> {
  readonly recorded: readonly TrafficExchange[];
}

function judgeAll(recordings: readonly OwnTraffic[], { base, keys, redactor, isExclusive }: TrafficOptions) {
  const judgements = collectJudgements();
  let ofGateway = 0;
  for (const { recorded, unreadable } of recordings) {
    // Some recorders leave credentials out of what they write, and then out of all requests.
    const withoutAuthorization = recorded.every(({ request }) =>
      headerValues(request.headers, 'Authorization').every(isWithoutKey),
    );
    const parts = splitByClock(recorded);
    const tellsHost = recorded.some(({ request }) => namesHost(request));
    const mayLackAuthorization = (request: Pick<TrafficRequest, 'headers'>): boolean =>
      withoutAuthorization || (tellsHost && !namesHost(request));
    const expected = recorded.length;
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
  return { judgements, ofGateway };
}

/** What seems to be recorded twice may excuse, and proves nothing: what holds has to hold, too, if each is an exchange of its own. */
function unlessApart(
  judged: readonly Judgement[],
  apart: Judgements,
  repeated: number,
): readonly Judgement[] {
  return judged.map((judgement): Judgement => {
    const { outcome } = judgement.outcome === 'pass' ? apart.judgementOf(judgement.id) : judgement;
    if (outcome === judgement.outcome) {
      return judgement;
    }
    const reason = `${countText(repeated, 'exchange')} with the same request and the same answer at the same time as another one may be recorded twice, and this holds only if they are. Judge a recording of one recorder.`;
    return outcome === 'fail'
      ? { ...judgement, outcome: 'inconclusive', findings: [{ message: reason }], reason }
      : { ...judgement, outcome: 'skipped', reason };
  });
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
  return headerValues(headers, 'Host').length > 0;
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
