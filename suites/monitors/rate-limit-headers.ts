import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import {
  RATE_LIMIT_HEADERS,
  readRateLimitHeader,
  type HeaderReading,
  type RateLimit,
  type RateLimitHeader,
} from '../../contract/rate-limit-headers.ts';
import type { RequirementId } from '../../contract/requirements.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import type { Circumstances, Monitor, Reporter } from '../monitor.ts';

const REQUIREMENT_OF: Readonly<Record<RateLimitHeader, RequirementId>> = {
  'X-RateLimit-Limit': 'header-limit',
  'X-RateLimit-Remaining': 'header-remaining',
  'X-RateLimit-Reset': 'header-reset',
};

const GRACE_SECONDS = 2;
// Without Date header and control clock, a server's clock is taken to be within a day of ours.
const UNKNOWN_CLOCK_SECONDS = DAY_SECONDS;

/** All three headers, once each, as decimal integers, on whatever a documented operation answers. */
export const headerPresence: Monitor = {
  id: 'rate-limit-header-presence',
  title: 'Every response carries the three rate limit headers',
  judges: ['header-limit', 'header-remaining', 'header-reset'],
  watch: (exchange, report) => {
    if (exchange.request.operation === null) {
      return;
    }
    for (const name of RATE_LIMIT_HEADERS) {
      const reading = readRateLimitHeader(exchange.response.headers, name);
      report.judge(
        REQUIREMENT_OF[name],
        reading.state === 'ok',
        () =>
          `${name} ${describe(reading)} on a ${exchange.response.status} response to ${exchange.request.operation}.`,
      );
    }
  },
};

/** What the headers say fits the key, its plan and the server's clock. */
export const headerValuesMonitor: Monitor = {
  id: 'rate-limit-header-values',
  title: 'The rate limit headers make sense',
  judges: ['remaining-in-range', 'limit-of-plan', 'reset-is-near', 'headers-without-key'],
  watch: (exchange, report, circumstances) => {
    const rateLimit = rateLimitOf(exchange);
    if (exchange.request.operation === null || rateLimit === undefined) {
      return;
    }
    const { limit, remaining } = rateLimit;
    report.judge(
      'remaining-in-range',
      remaining >= 0 && remaining <= limit,
      () => `X-RateLimit-Remaining is ${remaining} where X-RateLimit-Limit is ${limit}.`,
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
  report.judge(
    'limit-of-plan',
    limit === perMinute || limit === perDay,
    () =>
      `X-RateLimit-Limit is ${limit} for ${key.label}, whose plan has ${perMinute} a minute and ${perDay} a day.`,
  );
}

function judgeReset(
  exchange: Exchange,
  { limit, reset }: RateLimit,
  report: Reporter,
  { key, clock }: Circumstances,
): void {
  const namesMinute = key !== null && key.limits !== null && limit === key.limits.perMinute;
  const windowSeconds = namesMinute ? MINUTE_SECONDS : DAY_SECONDS;
  const now = clock.spanOf(exchange);
  const wall = exchange.startedAt.getTime() / 1000;
  const earliest = (now?.earliest ?? wall - UNKNOWN_CLOCK_SECONDS) - GRACE_SECONDS;
  const latest = (now?.latest ?? wall + UNKNOWN_CLOCK_SECONDS) + windowSeconds + GRACE_SECONDS;
  report.judge('reset-is-near', reset >= earliest && reset <= latest, () => {
    if (now === undefined) {
      return `X-RateLimit-Reset is ${reset}, which is no Unix time in seconds near now (${Math.round(wall)}).`;
    }
    const away = reset < earliest ? Math.floor(reset - now.earliest) : Math.ceil(reset - now.latest);
    return `X-RateLimit-Reset is ${reset}, ${away} s from the server's clock; the window that X-RateLimit-Limit ${limit} names is ${windowSeconds} s long.`;
  });
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
