import { MINUTE_SECONDS, PLAN_LIMITS } from '../../../contract/plans.ts';
import {
  answerError,
  answerWith,
  type Answer,
  type ServiceResponse,
  withHeader,
  withoutHeader,
  httpDate,
  type ServiceParts,
} from '../../../reference-server/index.ts';
import { CLIENT_PLAN, type RetryAfterScript, type ScriptedAnswer } from '../../../suites/certify/index.ts';

const LIMIT = PLAN_LIMITS[CLIENT_PLAN].perMinute;
// So long the minute lasts when the day is used up.
const MINUTE_LEFT_SECONDS = 1;

/** Makes the response that a scenario scripts, with the three headers of a window that is used up. */
export function scriptedAnswer(
  scripted: ScriptedAnswer,
  { clock, render, representation }: ServiceParts,
  { target, elsewhere }: { readonly target: string; readonly elsewhere: string | null },
): ServiceResponse {
  const now = clock.now();
  const reply = (answer: Answer, seconds: number, remaining = 0): ServiceResponse =>
    render(answer, { limit: LIMIT, remaining, resetUnixSeconds: Math.ceil(now + Math.max(0, seconds)) }, now);
  const error = (status: number, code: string, message: string, headers: readonly string[] = []): Answer =>
    answerError(representation, { code, message, status }, headers);

  switch (scripted.kind) {
    case 'limited': {
      const { retryAfter, body } = scripted;
      const replyLimited = (answer: Answer): ServiceResponse =>
        scripted.byDay === undefined
          ? reply(answer, retryAfter.seconds)
          : reply(answer, MINUTE_LEFT_SECONDS, scripted.byDay);
      const headers = ['Retry-After', writeRetryAfter(retryAfter, now)];
      const limited = error(429, 'rate_limited', 'The rate limit is exceeded.', headers);
      switch (body) {
        case 'error':
          return replyLimited(limited);
        case 'empty':
          return withoutHeader(replyLimited(answerWith(429, '', headers)), 'Content-Type');
        case 'html':
        case 'long-html': {
          // The answer says so itself, so that no choice of the service takes the page for JSON.
          const length = body === 'html' ? 0 : LONG_PAGE_BYTES;
          const page = answerWith(429, TOO_MANY_PAGE.padEnd(length), [...headers, 'Content-Type', HTML]);
          return withHeader(withoutHeader(replyLimited(page), 'Content-Type'), 'Content-Type', HTML);
        }
        default:
          return replyLimited(answerWith(429, body.json, headers));
      }
    }
    case 'banned':
      return reply(
        error(scripted.status, 'key_banned', 'The API key is banned for a while.', [
          'Retry-After',
          writeRetryAfter(scripted.retryAfter, now),
        ]),
        scripted.retryAfter.seconds,
      );
    case 'refused':
      return reply(error(scripted.status, scripted.code, scripted.message), MINUTE_SECONDS, LIMIT - 1);
    case 'redirected':
      return reply(
        answerWith(scripted.status, '', ['Location', `${elsewhere ?? ''}${target}`]),
        MINUTE_SECONDS,
        LIMIT - 1,
      );
  }
}

const HTML = 'text/html; charset=utf-8';
const TOO_MANY_PAGE = '<!doctype html><title>Too many requests</title><h1>Too many requests</h1>';
const LONG_PAGE_BYTES = 200_000;

function writeRetryAfter({ form, seconds }: RetryAfterScript, now: number): string {
  switch (form) {
    case 'delta-seconds':
      return `${seconds}`;
    case 'http-date':
      return httpDate(Math.ceil(now + seconds));
    case 'rfc850-date':
    case 'asctime-date':
      return writeObsoleteDate(form, new Date(Math.ceil(now + seconds) * 1_000));
    case 'unreadable':
      return 'in a moment';
  }
}

/** RFC 9110, section 5.6.7. */
function writeObsoleteDate(form: 'rfc850-date' | 'asctime-date', date: Date): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = date.toUTCString().split(/,? /);
  const longWeekday = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  return form === 'rfc850-date'
    ? `${longWeekday}, ${day}-${month}-${year.slice(-2)} ${time} GMT`
    : `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}
