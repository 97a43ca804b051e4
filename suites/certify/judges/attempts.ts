import type { ClientJudge } from '../records/record.ts';
import { answersOf, endOf, inSeconds, isLimiting, clientRequests } from '../records/traffic-reading.ts';

const ID = 'client-stops-trying';

/** Fewer attempts may still be bounded. */
const MANY_ATTEMPTS = 10;

/** The client gives up in the end if every answer is 429. */
export const attempts: ClientJudge = {
  id: 'attempts',
  title: 'The client gives up after a bounded number of attempts',
  judges: [ID, 'client-retries-limited'],
  judge: (record, say) => {
    const last = answersOf(record).at(-1);
    // Elsewhere a client has other reasons to give up, such as a long Retry-After.
    if (!record.scenario.judges.includes(ID) || last === undefined || !isLimiting(last)) {
      return;
    }
    const { length } = clientRequests(record);
    const tried = length === 1 ? 'one attempt' : `${length} attempts`;
    if (record.outcome.kind === 'replied') {
      say.observe('client-retries-limited', length, 'attempts');
      say.pass(ID);
    } else if (record.endedFor === 'unending retries' && length >= MANY_ATTEMPTS) {
      say.observe('client-retries-limited', `${MANY_ATTEMPTS} or more`, 'attempts');
      say.fail(
        ID,
        `After ${tried} in ${inSeconds(record.durationSeconds)} the client was still trying.`,
        'Give up after a few attempts, and report the 429.',
        last,
      );
    } else if (record.endedFor === 'unending retries') {
      say.inconclusive(
        ID,
        `After ${tried} in ${inSeconds(record.durationSeconds)} the client was still trying; its limit, if it has one, is higher.`,
      );
    } else if (record.outcome.kind === 'unknown') {
      say.skip(ID, `After ${tried} nothing came for ${inSeconds(endOf(record) - last.answeredAt)}.`);
    }
  },
};
