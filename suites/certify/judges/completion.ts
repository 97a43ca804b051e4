import { countText } from '../../../contract/words/enumeration.ts';
import { withoutMiddle } from '../drivers/reply.ts';
import { hideClientKey } from '../records/record-client-exchange.ts';
import { say, type ClientJudge, type ClientJudgement, type ScenarioRecord } from '../records/record.ts';
import {
  answersNothing,
  answersOf,
  breaksOff,
  cameTooEarly,
  clientRequests,
  endOf,
  inSeconds,
  isLimiting,
  limitingAnswers,
  momentOf,
} from '../records/traffic-reading.ts';

const ID = 'client-completes';
/** Where no answer comes, only a client that hangs breaks a must. */
const UNANSWERED = 'client-reports-no-answer';

const REPLY_OF_MANY =
  'Write {"id":"…","ok":true,"value":…} or {"id":"…","ok":false,"error":{"code":"…","message":"…","status":404}} on one line of stdout for each request, with its id, as soon as it is known.';

/** From that many attempts on that were limited, or got no answer, silence may be a wait that has grown long. */
const ATTEMPTS_OF_BACKOFF = 3;

/** The client ends by itself, as the driver contract says. */
export const completion: ClientJudge = {
  id: 'completion',
  title: 'The client ends each operation with a result or an error',
  judges: [ID, 'client-reads-any-json', 'client-reads-obsolete-dates', 'client-reads-rare-http', UNANSWERED],
  judge: (record) => {
    const { outcome } = record;
    const id = answersNothing(record) || breaksOff(record) ? UNANSWERED : ID;
    switch (outcome.kind) {
      case 'replied':
        return say.pass(id);
      case 'broken':
        return say.fail(
          id,
          outcome.problem,
          outcome.ofMany === true
            ? `${REPLY_OF_MANY} Read requests until stdin ends.`
            : 'Print {"ok":true,"value":…} or {"ok":false,"error":{"code":"…","message":"…","status":404}} as the last line of stdout, even if the client gives up, and exit with 0.',
        );
      case 'ended':
        return judgeEnded(record, id);
      case 'unknown':
        return say.skip(id, 'Nothing says how the client ended.');
    }
  },
};

function judgeEnded(record: ScenarioRecord, id: typeof ID | typeof UNANSWERED): ClientJudgement | null {
  if (record.endedFor === 'interruption') {
    return say.inconclusive(id, 'The run was interrupted before the client had ended.');
  }
  if (record.endedFor === 'let go') {
    return say.skip(id, 'The client was let go while it had to wait.');
  }
  const answers = answersOf(record);
  const last = answers.at(-1);
  const isLimited = last !== undefined && isLimiting(last);
  const fail = (message: string, change: string, broken: typeof id = id): ClientJudgement =>
    say.fail(broken, message, change, last);
  const duration = inSeconds(record.durationSeconds);
  if (hasNotExited(record)) {
    return fail(
      `The client printed its reply and did not exit: it had to be ended, ${duration} after its start.`,
      'Exit once the reply is printed: look for a connection, a timer or a thread that keeps the process alive.',
    );
  }
  if (last !== undefined && !isLimited && isMute(record)) {
    const sent =
      answers.length === 1 ? 'a request that was answered' : `${answers.length} requests that were answered`;
    const written = printed(record);
    return fail(
      `The client sent ${sent}, and never wrote a reply${written}.`,
      written === ''
        ? `${REPLY_OF_MANY} If stdout is buffered because it is not a terminal, flush it after each line.`
        : REPLY_OF_MANY,
    );
  }
  if (record.endedFor === 'unending retries') {
    // To go on for ever and wait each time is judged by `attempts`.
    return isLimited && !cameTooEarly(record)
      ? null
      : fail(
          `The client was still trying ${duration} after its start, with ${countText(answers.length, 'answer')}, and had to be ended.`,
          'Give up after a bounded number of attempts, and report the last answer.',
        );
  }
  const silence = inSeconds(endOf(record) - (last?.answeredAt ?? 0));
  const limited = limitingAnswers(record).length;
  if (isLimited && limited >= ATTEMPTS_OF_BACKOFF) {
    return say.skip(
      ID,
      `After ${limited} attempts the client was silent for ${silence}; a wait of that length cannot be distinguished from hanging.`,
    );
  }
  const since =
    last === undefined
      ? 'and no request of it was answered'
      : `${silence} after the answer ${last.response.status} of ${momentOf(record, last.answeredAt)}`;
  return fail(
    `The client sent no further request and printed no reply${printed(record)}, ${since}, and had to be ended.`,
    'End each operation with a result or an error: look for a wait that never ends, or for a connection or timer that keeps the process alive. If it only waits longer, --patience gives it more seconds.',
    clientRequests(record).length < ATTEMPTS_OF_BACKOFF ? ID : id,
  );
}

/** What it wrote that may have been meant as a reply. */
function printed(record: ScenarioRecord): string {
  const { outcome } = record;
  const output = outcome.kind === 'ended' ? outcome.output : '';
  const line = /^\s*(\{.*)/m.exec(output)?.[1] ?? /^.*\{.*"ok".*/m.exec(output)?.[0];
  return line === undefined
    ? ''
    : ` that is JSON on one line, but ${JSON.stringify(withoutMiddle(hideClientKey(line, record)))}`;
}

type Ending = Pick<ScenarioRecord, 'outcome' | 'endedFor'>;
type Course = Ending & Pick<ScenarioRecord, 'traffic'>;

/**
 * Whether all of them show that further scenarios would go the same way: nothing was sent until the client was ended, no
 * reply was written, or no client exited.
 */
export function isStuck(records: readonly Course[]): boolean {
  return (
    records.every(isIdle) ||
    records.every(isMute) ||
    (records.some(hasNotExited) && !records.some(hasOtherwiseEnded))
  );
}

function hasOtherwiseEnded({ outcome, endedFor }: Ending): boolean {
  return endedFor !== 'let go' && !(outcome.kind === 'ended' && outcome.replied === true);
}

/** Whether a client was ended that had sent nothing, as one does that waits for input. */
function isIdle({ outcome, endedFor, traffic }: Course): boolean {
  return outcome.kind === 'ended' && endedFor === 'silence' && traffic.exchanges.length === 0;
}

/** Whether a client that was started for the scenario replied and did not exit. */
function hasNotExited({ outcome, endedFor }: Ending): boolean {
  return endedFor === 'silence' && outcome.kind === 'ended' && outcome.replied === true;
}

/** Whether a client that keeps running has never replied. */
function isMute({ outcome, endedFor }: Ending): boolean {
  const hasNotReplied = outcome.kind === 'broken' || (outcome.kind === 'ended' && outcome.mute === true);
  return endedFor === 'silence' && hasNotReplied;
}
