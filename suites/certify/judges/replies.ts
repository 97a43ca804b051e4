import type { ErrorBody } from '../../../contract/inventory.ts';
import { asInteger, isJsonObject, type JsonValue } from '../../../contract/json/index.ts';
import type { ClientReply } from '../drivers/driver.ts';
import { compareItems, compareLists, showDifference, showValue } from '../records/compare-inventory.ts';
import { say, type ClientJudge, type ClientJudgement, type ScenarioRecord } from '../records/record.ts';
import {
  answersNothing,
  answersOf,
  breaksOff,
  clientRequests,
  contentOf,
  isAnswered,
  isCutShort,
  momentOf,
  parseBody,
  type AnsweredExchange,
} from '../records/traffic-reading.ts';

const RESULT = 'client-reports-result';
const ERROR = 'client-reports-error';

/** The report of a 200 against what was answered. */
export const result: ClientJudge = {
  id: 'result',
  title: 'The client reports the result that the server answered',
  judges: [
    RESULT,
    'client-reads-any-json',
    'client-reads-obsolete-dates',
    'client-reads-rare-http',
    'client-reports-no-answer',
  ],
  judge: (record) => {
    const { outcome, scenario } = record;
    if (outcome.kind === 'unknown') {
      return say.skip(RESULT, 'Nothing says what the client made of the answer.');
    }
    if (outcome.kind !== 'replied') {
      return null;
    }
    if (!outcome.reply.ok) {
      return judgeErrorInPlaceOfResult(record);
    }
    const answers = answersOf(record);
    const success = answers.findLast(({ response }) => response.status === 200);
    if (success === undefined) {
      const last = answers.at(-1);
      const status = last === undefined || breaksOff(record) ? null : last.response.status;
      // Where it is judged, the report of an error says so.
      return answers.length > 0 && scenario.judges.includes(ERROR)
        ? null
        : say.fail(
            RESULT,
            breaksOff(record)
              ? 'The answer broke off before the length that it had announced, and the client reports a result.'
              : 'The client reports a result, and no request of it was answered 200.',
            status === null
              ? 'Report an error, with status null, as no whole answer came.'
              : `Report an error, with the status ${status} that was answered.`,
            last,
          );
    }
    const answered = parseBody(contentOf(success.response));
    if (answered === undefined) {
      return null;
    }
    const compare = scenario.task.operation === 'listInventory' ? compareLists : compareItems;
    const difference = compare(answered, outcome.reply.value);
    return difference === null
      ? say.pass(RESULT)
      : say.fail(RESULT, difference.message, difference.change, success);
  },
};

function judgeErrorInPlaceOfResult(record: ScenarioRecord): ClientJudgement | null {
  const last = answersOf(record).at(-1);
  if (last?.response.status === 200) {
    return say.fail(
      RESULT,
      `The last answer was 200, at ${momentOf(record, last.answeredAt)}, and the client reports an error.`,
      'Report the result of a 200 whatever its further members and headers, and allow an answer some seconds.',
      last,
    );
  }
  // What did not come whole could not be answered in time.
  const unanswered = clientRequests(record).find(
    (exchange) => !isAnswered(exchange) && !isCutShort(exchange),
  );
  return last !== undefined || unanswered === undefined || answersNothing(record)
    ? null
    : say.fail(
        RESULT,
        `The client reports an error before the request of ${momentOf(record, unanswered.receivedAt)} was answered.`,
        'Allow an answer some seconds before giving up.',
        unanswered,
      );
}

/** Statuses whose answers hold an Error object; what a 429 or a ban holds is not shown. */
const DOCUMENTED = new Set([400, 401, 404]);
const BEYOND_ASCII = /\P{ASCII}+/u;

/** The report of a refusal, or of a 429 that the client gives up on, against what was answered. */
export const error: ClientJudge = {
  id: 'error',
  title: 'The client reports errors as the server answered them',
  judges: [ERROR, 'client-reads-any-json', 'client-reads-obsolete-dates', 'client-reads-rare-http'],
  judge: (record) => {
    const { outcome } = record;
    const answers = answersOf(record);
    const last = answers.at(-1);
    if (last === undefined) {
      return judgeInvented(record);
    }
    // A 200 is judged by `result`, and where a redirect led to is not known.
    if (last.response.status < 400) {
      return null;
    }
    if (outcome.kind === 'unknown') {
      return say.skip(ERROR, 'Nothing says what the client made of the answer.');
    }
    if (outcome.kind !== 'replied') {
      return null;
    }
    const { status } = last.response;
    const { reply } = outcome;
    if (!reply.ok) {
      // What a client repeats after a refusal, and what else it sends, is not for its report to tell.
      const said = answers
        .filter((answer) => answer === last || DOCUMENTED.has(answer.response.status))
        .map((answer) => judgeReportedError(reply.error, answer));
      return said.find(({ kind }) => kind === 'pass') ?? said.at(-1) ?? null;
    }
    return answers.some(({ response }) => response.status === 200)
      ? null
      : say.fail(
          ERROR,
          `The last answer was ${status}, and the client reports a result.`,
          'Look at the status of each answer before its content.',
          last,
        );
  },
};

const ANSWERS: ReadonlySet<bigint> = new Set([200n, 400n, 401n, 404n, 429n]);

/** What is no documented status may stand for an answer that never came. */
function judgeInvented(record: ScenarioRecord): ClientJudgement | null {
  const { outcome } = record;
  const requests = clientRequests(record);
  const status =
    outcome.kind === 'replied' && !outcome.reply.ok ? asInteger(outcome.reply.error.status) : undefined;
  const sent = breaksOff(record) ? requests.map(({ response }) => BigInt(response.status)) : [];
  if (status === undefined || requests.length === 0 || !ANSWERS.has(status) || sent.includes(status)) {
    return null;
  }
  return say.fail(
    ERROR,
    `The client reports status ${status}, and no request of it was answered so.`,
    'Report status null if no answer came.',
  );
}

function judgeReportedError(
  reported: Extract<ClientReply, { readonly ok: false }>['error'],
  last: AnsweredExchange,
): ClientJudgement {
  const { status } = last.response;
  if (asInteger(reported.status) !== BigInt(status)) {
    const shown = reported.status === null ? 'no status' : `status ${showValue(reported.status)}`;
    return say.fail(
      ERROR,
      `The last answer was ${status}, and the client reports ${shown}.`,
      'Report the HTTP status of the last answer, as a number.',
      last,
    );
  }
  const answered = DOCUMENTED.has(status) ? readError(last) : undefined;
  const member = (['code', 'message'] as const).find((name) => answered?.[name] !== reported[name]);
  if (answered === undefined || member === undefined) {
    return say.pass(ERROR);
  }
  const [sent, told] = [answered[member], reported[member]];
  return hasReplacedCharacters(sent, told)
    ? say.skip(
        ERROR,
        'Characters beyond ASCII were replaced in the report, by the client or by the encoding of its stdout. Write UTF-8, or \\u escapes.',
      )
    : say.fail(
        ERROR,
        `On ${status} ${member} was answered as ${showDifference(sent, told)} and reported as ${showDifference(told, sent)}.`,
        isMisread(sent, told)
          ? 'Decode the body of an answer as UTF-8, and write the reply in it: JSON is in UTF-8 (RFC 8259, section 8.1).'
          : `Report ${member} of the Error object as it was answered.${isComposedOtherwise(sent, told) ? ' Only the forms differ in which its characters are composed (Unicode normalization).' : ''}`,
        last,
      );
}

/** Whether all that differs are characters beyond ASCII, for which question marks stand, as an encoding without them writes. */
function hasReplacedCharacters(answered: string, reported: JsonValue): boolean {
  const parts = answered.split(BEYOND_ASCII);
  let rest = typeof reported === 'string' ? reported : '';
  for (const [index, part] of parts.entries()) {
    const unmarked = index === 0 ? rest : rest.replace(/^\?+/, '');
    const isMarked = index === 0 || unmarked.length < rest.length;
    if (!isMarked || !unmarked.startsWith(part)) {
      return false;
    }
    rest = unmarked.slice(part.length);
  }
  return parts.length > 1 && rest === '';
}

/** Whether bytes were read or written in a coding of one byte for each character. */
function isMisread(answered: string, reported: JsonValue): boolean {
  const bytes = Buffer.from(answered, 'utf8');
  return (
    (typeof reported === 'string' && reported.includes('\uFFFD')) ||
    reported === bytes.toString('latin1') ||
    reported === new TextDecoder('windows-1252').decode(bytes)
  );
}

function isComposedOtherwise(answered: string, reported: JsonValue): boolean {
  return typeof reported === 'string' && answered.normalize() === reported.normalize();
}

/** Code and message if the answer holds an Error object. */
function readError({ response }: AnsweredExchange): Pick<ErrorBody, 'code' | 'message'> | undefined {
  const body = parseBody(contentOf(response));
  const { code, message } = isJsonObject(body) ? body : {};
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
}
