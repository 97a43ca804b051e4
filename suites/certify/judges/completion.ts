import { cameTooEarly } from '../records/early-requests.ts';
import type { ClientJudge, ScenarioRecord } from '../records/record.ts';
import { answersOf, endOf, inSeconds, isLimiting, momentOf } from '../records/traffic-reading.ts';

const ID = 'client-completes';

/** From that many limited attempts on, silence may be a wait that has grown long. */
const ATTEMPTS_OF_BACKOFF = 3;

/** The client ends by itself, as the driver contract says. */
export const completion: ClientJudge = {
  id: 'completion',
  title: 'The client ends each operation with a result or an error',
  judges: [ID, 'client-reads-any-json'],
  judge: (record, say) => {
    const { outcome } = record;
    switch (outcome.kind) {
      case 'replied':
        say.pass(ID);
        break;
      case 'broken':
        say.fail(
          ID,
          outcome.problem,
          'Print {"ok":true,"value":…} or {"ok":false,"error":{"code":"…","message":"…","status":404}} as the last line of stdout, even if the client gives up, and exit with 0. With --driver jsonl, print it once for each request, with the id of that.',
        );
        break;
      case 'ended':
        judgeEnded(record, say);
        break;
      case 'unknown':
        say.skip(ID, 'Nothing says how the client ended.');
        break;
    }
  },
};

const judgeEnded: ClientJudge['judge'] = (record, say) => {
  if (record.endedFor === 'interruption') {
    say.inconclusive(ID, 'The run was interrupted before the client had ended.');
    return;
  }
  if (record.endedFor === 'let go') {
    say.skip(ID, 'The client was let go while it had to wait.');
    return;
  }
  const answers = answersOf(record);
  const last = answers.at(-1);
  if (hasNotExited(record)) {
    say.fail(
      ID,
      `The client printed its reply and did not exit: it had to be ended, ${inSeconds(record.durationSeconds)} after its start.`,
      'Exit once the reply is printed: look for a connection, a timer or a thread that keeps the process alive.',
      last,
    );
    return;
  }
  if (last !== undefined && !isLimiting(last) && isMute(record)) {
    say.fail(
      ID,
      `The client sent ${answers.length === 1 ? 'a request that was answered' : `${answers.length} requests that were answered`}, and never wrote a line to stdout.`,
      'Write each reply line as soon as it is known: if stdout is buffered because it is not a terminal, flush it after each line.',
      last,
    );
    return;
  }
  if (record.endedFor === 'unending retries') {
    // To go on for ever and wait each time is judged by `attempts`.
    if (last === undefined || !isLimiting(last) || cameTooEarly(record)) {
      say.fail(
        ID,
        `The client was still trying ${inSeconds(record.durationSeconds)} after its start, with ${answers.length} answers, and had to be ended.`,
        'Give up after a bounded number of attempts, and report the last answer.',
        last,
      );
    }
    return;
  }
  const limited = answers.filter((exchange) => isLimiting(exchange));
  if (last !== undefined && isLimiting(last) && limited.length >= ATTEMPTS_OF_BACKOFF) {
    say.skip(
      ID,
      `After ${limited.length} attempts the client was silent for ${silence(record, last.answeredAt)}; a wait of that length cannot be distinguished from hanging.`,
    );
    return;
  }
  const since =
    last === undefined
      ? 'and no request of it was answered'
      : `${silence(record, last.answeredAt)} after the answer ${last.response.status} of ${momentOf(record, last.answeredAt)}`;
  say.fail(
    ID,
    `The client neither sent nor reported anything more, ${since}, and had to be ended.`,
    'End each operation with a result or an error: look for a wait that never ends, or for a connection or timer that keeps the process alive.',
    last,
  );
};

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

/** Whether a client that keeps running has never reported anything. */
function isMute({ outcome, endedFor }: Ending): boolean {
  return endedFor === 'silence' && outcome.kind === 'ended' && outcome.mute === true;
}

function silence(record: ScenarioRecord, since: number): string {
  return inSeconds(endOf(record) - since);
}
