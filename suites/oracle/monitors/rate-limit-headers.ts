import { BAN_STATUSES, LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import {
  RATE_LIMIT_HEADERS,
  readRateLimitHeader,
  type HeaderReading,
  type RateLimit,
  type RateLimitHeader,
} from '../../../contract/rate-limit-headers.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Explanation } from '../../../contract/verdict.ts';
import { explainIf } from '../accusation.ts';
import { isAccepted, isOmitted, rateLimitOf, retryAfterOf, type Exchange } from '../exchange.ts';
import type { Circumstances, Monitor, Reporter } from '../monitor.ts';
import { planOfLimit } from '../plan-of-limit.ts';

const REQUIREMENT_OF: Readonly<Record<RateLimitHeader, RequirementId>> = {
  'X-RateLimit-Limit': 'header-limit',
  'X-RateLimit-Remaining': 'header-remaining',
  'X-RateLimit-Reset': 'header-reset',
};

const GRACE_SECONDS = 2;
// What ends later is rather the end of a day than that of a ban.
const HOUR_SECONDS = 3600;
// Without Date header and control clock, a server's clock is taken to be within a day of ours.
const UNKNOWN_CLOCK_SECONDS = DAY_SECONDS;

/** All three headers, once each, as decimal integers, on whatever a documented operation answers. */
export const headerPresence: Monitor = {
  id: 'rate-limit-header-presence',
  title: 'Every response carries the three rate limit headers',
  judges: ['header-limit', 'header-remaining', 'header-reset'],
  watch: (exchange, report, circumstances) => {
    if (exchange.request.operation === null) {
      return;
    }
    const mayBeOfBan = circumstances.mayBeBanned && BAN_STATUSES.has(exchange.response.status);
    for (const name of RATE_LIMIT_HEADERS.filter((one) => !isOmitted(exchange.response, one))) {
      const reading = readRateLimitHeader(exchange.response.headers, name);
      const message = () =>
        `${name} ${describe(reading)} on a ${exchange.response.status} response to ${exchange.request.operation}.`;
      // What only a banned key is answered so is the answer's to a ban.
      const others = () => explainIf(mayBeOfBan, 'ban-answer', message());
      report.judge(REQUIREMENT_OF[name], reading.state === 'ok', message, others);
    }
  },
};

/** What the headers say fits the key, its plan and the server's clock. */
export const headerValuesMonitor: Monitor = {
  id: 'rate-limit-header-values',
  title: 'The rate limit headers make sense',
  judges: [
    'remaining-in-range',
    'limit-of-plan',
    'reset-is-near',
    'headers-without-key',
    'ban-only-after-continued',
  ],
  watch: (exchange, report, circumstances) => {
    const rateLimit = rateLimitOf(exchange);
    if (exchange.request.operation === null || rateLimit === undefined) {
      return;
    }
    const { limit, remaining } = rateLimit;
    report.judge(
      'remaining-in-range',
      remaining >= 0 && remaining <= limit,
      () => `X-RateLimit-Remaining is ${remaining}, but X-RateLimit-Limit is ${limit}.`,
    );
    judgeLimit(exchange, rateLimit, report, circumstances);
    judgeReset(exchange, rateLimit, report, circumstances);
    if (exchange.key === null && exchange.response.status === 401) {
      report.observe(
        'headers-without-key',
        remaining === limit ? 'full' : remaining === 0 ? '0' : 'counted',
        'remaining',
      );
    }
  },
};

function judgeLimit(
  exchange: Exchange,
  { limit }: RateLimit,
  report: Reporter,
  { key }: Circumstances,
): void {
  if (key === null || key.limits === null || (exchange.response.status === 401 && !isAccepted(exchange))) {
    return;
  }
  const { perMinute, perDay } = key.limits;
  report.judge('limit-of-plan', limit === perMinute || limit === perDay, () => {
    const other = planOfLimit(key, limit);
    const doubt =
      other === null
        ? ''
        : ` It is a limit of the plan ${other}: either the key stands under the wrong plan in the configuration, or the target gives it the limits of another plan.`;
    return `X-RateLimit-Limit is ${limit} for ${key.label}, whose plan has ${perMinute} a minute and ${perDay} a day.${doubt}`;
  });
}

function judgeReset(
  exchange: Exchange,
  { limit, reset }: RateLimit,
  report: Reporter,
  circumstances: Circumstances,
): void {
  const { key, clock } = circumstances;
  // An enterprise key may have agreed the same number for both.
  const namesMinute =
    key !== null && key.limits !== null && limit === key.limits.perMinute && limit !== key.limits.perDay;
  const windowSeconds = namesMinute ? MINUTE_SECONDS : DAY_SECONDS;
  const now = clock.spanOf(exchange);
  const wall = exchange.startedAt.getTime() / 1000;
  const presentLatest = now?.latest ?? wall + UNKNOWN_CLOCK_SECONDS;
  const earliest = (now?.earliest ?? wall - UNKNOWN_CLOCK_SECONDS) - GRACE_SECONDS;
  const banEnd = mayTellOfBan(exchange, circumstances) ? latestBanEnd(exchange, presentLatest) : null;
  const latest = Math.max(presentLatest + windowSeconds, banEnd ?? Number.NEGATIVE_INFINITY) + GRACE_SECONDS;
  const message = (): string => {
    const present = now ?? { earliest: wall, latest: wall };
    const away = reset < earliest ? Math.floor(reset - present.earliest) : Math.ceil(reset - present.latest);
    if (now === undefined || Math.abs(away) > LONGEST_TEMPORARY_SECONDS) {
      return `X-RateLimit-Reset is ${reset}, which is no Unix time in seconds near now (${Math.round(present.earliest)}).`;
    }
    const window = `the window that X-RateLimit-Limit ${limit} names is ${windowSeconds} s long`;
    const ban =
      banEnd === null ? '' : `, and a ban ends within ${Math.ceil(banEnd - presentLatest)} s at the latest`;
    return `X-RateLimit-Reset is ${reset}, ${away} s from the server's clock; ${window}${ban}.`;
  };
  const away = reset - presentLatest;
  const isAsIfBanned =
    key !== null && banEnd === null && away <= HOUR_SECONDS && isEndOfWait(exchange, reset, presentLatest);
  if (reset > latest && isAsIfBanned) {
    const told = `${key.label} was answered ${exchange.response.status} until ${Math.ceil(away)} s later`;
    const why = `beyond its window: it was banned, though it never went on after a 429.`;
    const others = (): readonly Explanation[] => [{ id: 'reset-is-near', message: message() }];
    report.judge('ban-only-after-continued', false, () => `${told}, ${why}`, others);
  } else {
    report.judge('reset-is-near', reset >= earliest && reset <= latest, message);
  }
}

/** Whether a refusal asks to wait until then. */
function isEndOfWait(exchange: Exchange, reset: number, now: number): boolean {
  return (
    BAN_STATUSES.has(exchange.response.status) &&
    retryAfterOf(exchange) !== undefined &&
    Math.abs(latestBanEnd(exchange, now) - reset) <= GRACE_SECONDS
  );
}

/**
 * Whether the answer may be about a ban: a refusal of a key that went on after a 429. A configured key that was not
 * accepted yet may be banned for what was sent before the run.
 */
function mayTellOfBan(exchange: Exchange, { key, mayBeBanned }: Circumstances): boolean {
  const isUnproven = key !== null && !key.issued && key.usage.accepted === 0;
  return BAN_STATUSES.has(exchange.response.status) && (mayBeBanned || isUnproven);
}

/** The latest end of a ban in Unix seconds: what Retry-After says, else what may still be called temporary. */
function latestBanEnd(exchange: Exchange, now: number): number {
  const retryAfter = retryAfterOf(exchange);
  if (retryAfter === undefined) {
    return now + LONGEST_TEMPORARY_SECONDS;
  }
  return retryAfter.form === 'delta-seconds' ? now + retryAfter.seconds : retryAfter.unixSeconds;
}

function describe(reading: HeaderReading): string {
  switch (reading.state) {
    case 'missing':
      return 'is missing';
    case 'repeated':
      return `stands ${reading.values.length} times (${reading.values.join(' | ')})`;
    case 'malformed':
      return `is "${reading.value}", not one decimal integer,`;
    case 'ok':
      return 'is present';
  }
}
