import { cameTooEarly } from '../records/early-requests.ts';
import { fitBackoff, limitedWaits } from '../records/fit-backoff.ts';
import type { ClientJudge } from '../records/record.ts';
import { answersOf, inSeconds } from '../records/traffic-reading.ts';

const ID = 'client-backs-off';

/** Waits grow over consecutive 429s, or vary as full jitter makes them. */
export const backoff: ClientJudge = {
  id: 'backoff',
  title: 'The client backs off over consecutive 429s',
  judges: [ID, 'client-retries-limited'],
  judge: (record, say) => {
    const limited = answersOf(record).filter(({ response }) => response.status === 429);
    if (!record.scenario.judges.includes(ID) || limited.length === 0) {
      return;
    }
    const waits = limitedWaits(record);
    const { factor, verdict } = fitBackoff(waits);
    if (factor === null || verdict === 'too few') {
      say.skip(ID, `${waits.length} waits after consecutive 429s show neither growth nor its absence.`);
      return;
    }
    say.observe('client-retries-limited', verdict, 'waits');
    say.observe('client-retries-limited', Math.round(factor * 10) / 10, 'backoff-factor');
    if (verdict === 'varying' && cameTooEarly(record)) {
      say.skip(ID, 'The client did not wait for Retry-After, so that its delays are no backoff.');
      return;
    }
    if (verdict !== 'constant') {
      say.pass(ID);
      return;
    }
    const shown = waits.slice(0, 8).map(inSeconds).join(', ');
    say.fail(
      ID,
      `Over ${waits.length} consecutive 429s the waits stayed the same: ${shown}${waits.length > 8 ? ' …' : ''}.`,
      'Wait for Retry-After and, from the second 429 on, an additional delay that doubles each time, with jitter.',
      limited.at(-1),
    );
  },
};
