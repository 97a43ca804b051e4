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
  judges: [ID, 'client-retries-limited', 'client-reads-any-json'],
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
  const [name, value] = retryAfterField(limiting);
  const { answeredAt, allowedAt } = limiting;
  return (
    `The client came back after ${inSeconds(request.receivedAt - answeredAt)} of ${inSeconds(allowedAt - answeredAt)}: ` +
    `the answer ${limiting.response.status} of ${momentOf(record, answeredAt)} said ${name}: ${value}, ` +
    `and the next request came at ${momentOf(record, request.receivedAt)}, ${inSeconds(early)} too early.`
  );
}

function retryAfterField({ response }: LimitingExchange): HeaderField {
  return response.headers.find(([name]) => name.toLowerCase() === 'retry-after') ?? ['Retry-After', '(none)'];
}

/** What to do, and what was special about the answer. */
function advise(limitings: readonly LimitingExchange[], { limiting }: EarlyRequest): string {
  const [name] = retryAfterField(limiting);
  const index = limitings.indexOf(limiting);
  return [
    'Send nothing before Retry-After has passed, or give up and report the 429.',
    ...(name === 'Retry-After' ? [] : [`The name of the header is written ${name} here.`]),
    ...(sentRetryAfter(limiting)?.form === 'http-date'
      ? [`The date is in GMT; the client runs in the time zone ${CLIENT_TIME_ZONE}.`]
      : []),
    ...(index > 0 ? [`It was answer ${index + 1} of ${limitings.length} that asked for a wait.`] : []),
    ...(resetOf(limiting) < limiting.allowedAt
      ? ['X-RateLimit-Remaining and X-RateLimit-Reset describe the minute here, and the day is used up.']
      : []),
  ].join(' ');
}

/** The end of the window that the three headers describe, which rounds up to whole seconds. */
function resetOf({ response, allowedAt }: LimitingExchange): number {
  const [value] = headerValues(response.headers, 'X-RateLimit-Reset');
  return value === undefined ? allowedAt : Number(value);
}
