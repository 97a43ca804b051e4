import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { CLIENT_TIME_ZONE } from '../drivers/environment.ts';
import { earlyRequests, isTolerable, type EarlyRequest } from '../records/early-requests.ts';
import type { ClientJudge, ScenarioRecord } from '../records/record.ts';
import {
  answersOf,
  endOf,
  inSeconds,
  isLimiting,
  momentOf,
  clientRequests,
  sentRetryAfter,
  type LimitingExchange,
} from '../records/traffic-reading.ts';

const ID = 'client-waits';

/** Nothing is sent before Retry-After has passed; only the early side is judged. */
export const waits: ClientJudge = {
  id: 'waits',
  title: 'The client waits as long as Retry-After says',
  judges: [ID, 'client-retries-limited'],
  judge: (record, say) => {
    const limiting = answersOf(record).filter((exchange) => isLimiting(exchange));
    if (limiting.length === 0) {
      return;
    }
    const early = earlyRequests(record);
    const offences = early.filter((request) => !isTolerable(request));
    const [first] = offences;
    if (first !== undefined) {
      const count = new Set(offences.map(({ request }) => request)).size;
      const further = count === 1 ? '' : ` ${count} requests in this scenario came too early.`;
      say.fail(ID, `${describe(record, first)}${further}`, advise(limiting, first), first.request);
      return;
    }
    if (early.length > 0) {
      say.observe('client-retries-limited', 'under 20 ms early', 'arrival');
    }
    if (limiting.some((exchange) => hasWaitedFor(record, exchange))) {
      say.pass(ID);
    }
  },
};

/** Whether the client returned later, gave up, or stayed away for as long as it had to or was watched. */
function hasWaitedFor(record: ScenarioRecord, { answeredAt, allowedAt }: LimitingExchange): boolean {
  return (
    record.outcome.kind === 'replied' ||
    record.endedFor === 'let go' ||
    endOf(record) >= allowedAt ||
    clientRequests(record).some(({ receivedAt }) => receivedAt > answeredAt)
  );
}

function describe(record: ScenarioRecord, { limiting, request, early }: EarlyRequest): string {
  const value = retryAfterText(limiting);
  return (
    `The answer ${limiting.response.status} of ${momentOf(record, limiting.answeredAt)} said ${value}, ` +
    `so that the client was allowed to try again at ${momentOf(record, limiting.allowedAt)}; ` +
    `it came at ${momentOf(record, request.receivedAt)}, ${inSeconds(early)} too early.`
  );
}

function retryAfterText(limiting: LimitingExchange): string {
  const [name, value] = retryAfterField(limiting);
  return `${name}: ${value}`;
}

function retryAfterField({ response }: LimitingExchange): HeaderField {
  return response.headers.find(([name]) => name.toLowerCase() === 'retry-after') ?? ['Retry-After', '(none)'];
}

/** A date has whole seconds, so that rounding it down costs no more; seconds. */
const MOST_ROUNDED = 1.05;

const HOUR_SECONDS = 3_600;

/** What the answer and the length of the wait hint at, and the window if the client came at its end. */
function advise(limitings: readonly LimitingExchange[], early: EarlyRequest): string {
  const advice = adviseOnWait(limitings, early);
  return cameAtReset(early)
    ? `${advice} Go by it whatever X-RateLimit-Remaining and X-RateLimit-Reset say: they may describe the minute when the day is used up.`
    : advice;
}

function adviseOnWait(
  limitings: readonly LimitingExchange[],
  { limiting, request, early }: EarlyRequest,
): string {
  const waited = request.receivedAt - limiting.answeredAt;
  const asked = limiting.allowedAt - limiting.answeredAt;
  const [name] = retryAfterField(limiting);
  if (name !== 'Retry-After') {
    return `Find Retry-After whatever the letter-case of its name: here it is written ${name}.`;
  }
  if (sentRetryAfter(limiting)?.form === 'http-date') {
    return early > MOST_ROUNDED
      ? `Read Retry-After even if it is an HTTP-date, and wait until that moment. It is in GMT; the client runs in the time zone ${CLIENT_TIME_ZONE}.`
      : 'Wait until the moment that the HTTP-date names, without rounding down. If the clocks may differ, count from the Date header of the answer.';
  }
  if (limitings.indexOf(limiting) > 0) {
    return 'Keep to Retry-After after each 429, not only after the first.';
  }
  if (asked >= HOUR_SECONDS) {
    return 'Wait for Retry-After to its end, or give up and report the 429. 8 or 16 bits do not hold so many seconds, nor 32 bits so many microseconds.';
  }
  if (waited < 0.1) {
    return 'Wait for the seconds in Retry-After before anything else is sent, side by side too. Header names come in any letter-case, and a timer that counts milliseconds needs a thousand times the number.';
  }
  if (asked >= 30 && waited > asked / 4) {
    return 'Do not cut a long Retry-After short: wait it out, or give up and report the 429.';
  }
  return waited > asked * 0.7
    ? 'Take Retry-After as the least wait: add jitter to it, take none away, and begin to count when the answer has arrived.'
    : 'Let Retry-After outweigh the delays of your own: wait for the longer of the two.';
}

/** What a client may add to a Reset that it goes by; seconds. */
const MOST_ADDED = 2;

/** Whether the window that the three headers describe ends well before the client may come back, and it came about then. */
function cameAtReset({ limiting: { response, allowedAt }, request }: EarlyRequest): boolean {
  const [value] = headerValues(response.headers, 'X-RateLimit-Reset');
  const reset = value === undefined ? allowedAt : Number(value);
  return reset + MOST_ROUNDED < allowedAt && request.receivedAt < reset + MOST_ADDED;
}
