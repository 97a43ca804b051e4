import { cameTooEarly } from '../records/early-requests.ts';
import type { ClientJudge } from '../records/record.ts';
import { answersOf, isRefusal, isSentAtOnce, momentOf, clientRequests } from '../records/traffic-reading.ts';

const ID = 'client-does-not-repeat-refused';

/** What was answered 400, 401 or 404 is not sent again. */
export const repeats: ClientJudge = {
  id: 'repeats',
  title: 'The client does not retry a refused request',
  judges: [ID],
  judge: (record, say) => {
    const refusal = answersOf(record).find((exchange) => isRefusal(exchange));
    // What is sent while the client should wait is judged by `waits`.
    if (refusal === undefined || cameTooEarly(record)) {
      return;
    }
    const { status } = refusal.response;
    const later = clientRequests(record).filter(
      (exchange) =>
        exchange !== refusal &&
        exchange.receivedAt >= refusal.answeredAt &&
        // What came at the same moment is no repeat; `operation` judges it.
        !isSentAtOnce(refusal, exchange),
    );
    const [next] = later;
    if (next === undefined) {
      say.pass(ID);
      return;
    }
    say.fail(
      ID,
      `The request was answered ${status} at ${momentOf(record, refusal.answeredAt)}, and ${later.length === 1 ? 'one more was' : `${later.length} more were`} sent, the next at ${momentOf(record, next.receivedAt)}.`,
      `Report ${status} at once: the same request will be refused again. Only 429 is worth a retry.`,
      next,
    );
  },
};
