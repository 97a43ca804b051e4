import { cameTooEarly } from '../records/early-requests.ts';
import type { ClientJudge, ScenarioRecord } from '../records/record.ts';
import { readTarget } from '../records/request-target.ts';
import type { ClientExchange } from '../records/traffic.ts';
import {
  answersOf,
  isRefusal,
  isSentAtOnce,
  momentOf,
  clientRequests,
  type AnsweredExchange,
} from '../records/traffic-reading.ts';

const ID = 'client-does-not-repeat-refused';

/** What was answered 400, 401 or 404 is not sent again. */
export const repeats: ClientJudge = {
  id: 'repeats',
  title: 'The client does not retry a refused request',
  judges: [ID],
  judge: (record, say) => {
    const refusals = answersOf(record).filter((exchange) => isRefusal(exchange));
    const refusal = refusals.find((exchange) => repeatsOf(exchange, record).length > 0) ?? refusals[0];
    // What is sent while the client should wait is judged by `waits`.
    if (refusal === undefined || cameTooEarly(record)) {
      return;
    }
    const { status } = refusal.response;
    const later = repeatsOf(refusal, record);
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

/** What asked for the same once more; another request is judged by `operation`, and so is one of the same moment. */
function repeatsOf(refusal: AnsweredExchange, record: ScenarioRecord): readonly ClientExchange[] {
  const asked = whatIsAsked(refusal, record);
  return clientRequests(record).filter(
    (exchange) =>
      exchange !== refusal &&
      exchange.receivedAt >= refusal.answeredAt &&
      whatIsAsked(exchange, record) === asked &&
      !isSentAtOnce(refusal, exchange),
  );
}

function whatIsAsked({ request }: ClientExchange, { baseUrl }: ScenarioRecord): string {
  const { segments } = readTarget(request.target, baseUrl);
  return `${request.method} ${segments === null ? request.target : segments.join('/')}`;
}
