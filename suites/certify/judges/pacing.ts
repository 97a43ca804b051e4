import { readRateLimit } from '../../../contract/rate-limit-headers.ts';
import type { ClientJudge } from '../records/record.ts';
import { answersOf, endOf, clientRequests } from '../records/traffic-reading.ts';

/** From that pause on a client has slowed down; seconds. */
const PAUSE = 1;

/** Whether the client slows down by itself if a 200 says that nothing remains. */
export const pacing: ClientJudge = {
  id: 'pacing',
  title: 'What the client does when nothing remains',
  judges: ['client-paces-itself'],
  judge: (record, say) => {
    const exhausted = answersOf(record).find(
      ({ response }) => response.status === 200 && readRateLimit(response.headers)?.remaining === 0,
    );
    if (exhausted === undefined) {
      return;
    }
    const next = clientRequests(record).find(
      (exchange) => exchange !== exhausted && exchange.receivedAt >= exhausted.answeredAt,
    );
    if (next !== undefined) {
      const waited = next.receivedAt - exhausted.answeredAt;
      say.observe('client-paces-itself', waited < PAUSE ? 'goes on at once' : 'slows down');
    } else if (record.outcome.kind === 'replied') {
      const stayed = endOf(record) - exhausted.answeredAt;
      say.observe('client-paces-itself', stayed < PAUSE ? 'not seen' : 'slows down');
    }
  },
};
