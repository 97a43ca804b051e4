import type { ErrorBody } from '../../../contract/inventory.ts';
import { isJsonObject } from '../../../contract/json/index.ts';
import type { ClientReply } from '../drivers/driver.ts';
import { showValue } from '../records/compare-inventory.ts';
import type { ClientJudge } from '../records/record.ts';
import { answersOf, contentOf, parseBody, type AnsweredExchange } from '../records/traffic-reading.ts';

const ID = 'client-reports-error';
/** Statuses whose answers hold an Error object; what a 429 or a ban holds is not shown. */
const DOCUMENTED = new Set([400, 401, 404]);
const BEYOND_ASCII = /\P{ASCII}+/u;

/** The report of a refusal, or of a 429 that the client gives up on, against what was answered. */
export const error: ClientJudge = {
  id: 'error',
  title: 'The client reports errors as the server answered them',
  judges: [ID, 'client-reads-any-json'],
  judge: (record, say) => {
    const { outcome } = record;
    const answers = answersOf(record);
    const last = answers.at(-1);
    // A 200 is judged by `result`, and where a redirect led to is not known.
    if (last === undefined || last.response.status < 400) {
      return;
    }
    if (outcome.kind === 'unknown') {
      say.skip(ID, 'Nothing says what the client made of the answer.');
    } else if (outcome.kind === 'replied') {
      const problem = problemOf(outcome.reply, answers, last);
      if (problem === 'replaced') {
        say.skip(
          ID,
          'Characters beyond ASCII were replaced in the report, by the client or by the encoding of its stdout. Write UTF-8, or \\u escapes.',
        );
      } else if (problem !== null) {
        say.fail(ID, problem.message, problem.change, last);
      } else if (!outcome.reply.ok) {
        say.pass(ID);
      }
    }
  },
};

function problemOf(
  reply: ClientReply,
  answers: readonly AnsweredExchange[],
  last: AnsweredExchange,
): { readonly message: string; readonly change: string } | 'replaced' | null {
  const { status } = last.response;
  if (reply.ok) {
    return answers.some(({ response }) => response.status === 200)
      ? null
      : {
          message: `The last answer was ${status}, and the client reports a result.`,
          change: 'Look at the status of each answer before its content.',
        };
  }
  if (reply.error.status !== status) {
    return {
      message: `The last answer was ${status}, and the client reports ${reply.error.status === null ? 'no status' : `status ${reply.error.status}`}.`,
      change: 'Report the HTTP status of the last answer.',
    };
  }
  const answered = DOCUMENTED.has(status) ? readError(last) : undefined;
  for (const member of ['code', 'message'] as const) {
    const reported = reply.error[member];
    if (answered !== undefined && reported !== answered[member]) {
      if (hasReplacedCharacters(answered[member], reported)) {
        return 'replaced';
      }
      return {
        message: `On ${status} ${member} was answered as ${showValue(answered[member])} and reported as ${showValue(reported)}.`,
        change: isMisread(answered[member], reported)
          ? 'Decode the body of an answer as UTF-8, and write the reply in it: JSON is in UTF-8 (RFC 8259, section 8.1).'
          : `Report ${member} of the Error object as it was answered.`,
      };
    }
  }
  return null;
}

/** Whether all that differs are characters beyond ASCII, for which question marks stand, as an encoding without them writes. */
function hasReplacedCharacters(answered: string, reported: string | null): boolean {
  const parts = answered.split(BEYOND_ASCII);
  let rest = reported ?? '';
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
function isMisread(answered: string, reported: string | null): boolean {
  const bytes = Buffer.from(answered, 'utf8');
  return (
    reported?.includes('\uFFFD') === true ||
    reported === bytes.toString('latin1') ||
    reported === new TextDecoder('windows-1252').decode(bytes)
  );
}

/** Code and message if the answer holds an Error object. */
function readError({ response }: AnsweredExchange): Pick<ErrorBody, 'code' | 'message'> | undefined {
  const body = parseBody(contentOf(response));
  const { code, message } = isJsonObject(body) ? body : {};
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
}
