import { MINUTE_SECONDS, PLAN_LIMITS } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeEveryResponse } from '../alterations/responses.ts';
import { headerOf, withHeader, withoutHeader } from '../service/header-fields.ts';
import type { Decision, LimitState } from '../service/rate-limiter.ts';
import { httpDate } from '../service/render.ts';
import type { ServiceParts } from '../service/service.ts';
import type { Variant } from './variant.ts';
import { setTimeout as sleep } from 'node:timers/promises';

function describing(id: string, title: string, describe: (decision: Decision) => LimitState): Variant {
  return { id, title, freedom: 'described window', alter: { parts: () => ({ describe }) } };
}

const REMAINING = 'X-RateLimit-Remaining';

/** Makes the headers when the response is written, when requests may have counted that came later. */
function describeLate(milliseconds: number): Alteration {
  return {
    service: (service, { authenticate, keys, limiter, describe, clock }) => ({
      ...service,
      respond: async (request) => {
        const response = await service.respond(request);
        await sleep(milliseconds);
        const key = authenticate(request, keys);
        if (key === 'missing' || key === 'invalid') {
          return response;
        }
        const { remaining, resetUnixSeconds } = describe(limiter.look(key, clock.now()));
        const shown = Number(headerOf(response, REMAINING));
        // A window that ended meanwhile is another one.
        return headerOf(response, 'X-RateLimit-Reset') === `${resetUnixSeconds}` && remaining < shown
          ? withHeader(response, REMAINING, `${remaining}`)
          : response;
      },
    }),
  };
}

function withoutKey(id: string, title: string, start: () => ServiceParts['describeWithoutKey']): Variant {
  return {
    id,
    title,
    freedom: 'headers without a key',
    alter: { parts: () => ({ describeWithoutKey: start() }) },
  };
}

function resetMoved(id: string, title: string, bySeconds: number): Variant {
  return {
    id,
    title,
    freedom: 'reset rounding',
    alter: {
      parts: ({ render }) => ({
        render: (answer, limit, now) =>
          render(answer, { ...limit, resetUnixSeconds: limit.resetUnixSeconds + bySeconds }, now),
      }),
    },
  };
}

const FREE_MINUTE = PLAN_LIMITS.free.perMinute;

/** Requests of everyone without a key, in minutes aligned to the clock; nobody is refused for them. */
function countStrangers(): (now: number) => LimitState {
  let minute = Number.NaN;
  let seen = 0;
  return (now) => {
    const current = Math.floor(now / MINUTE_SECONDS);
    seen = current === minute ? seen + 1 : 1;
    minute = current;
    return {
      limit: FREE_MINUTE,
      remaining: Math.max(0, FREE_MINUTE - seen),
      resetUnixSeconds: (current + 1) * MINUTE_SECONDS,
    };
  };
}

function further(id: string, title: string, ...fields: readonly (readonly [string, string])[]): Variant {
  return {
    id,
    title,
    freedom: 'further header fields',
    alter: changeEveryResponse((response) => ({
      ...response,
      headers: [...response.headers, ...fields.flat()],
    })),
  };
}

export const HEADERS_VARIANTS: readonly Variant[] = [
  describing('headers-describe-the-minute', 'The headers always describe the minute', ({ minute }) => minute),
  describing('headers-describe-the-day', 'The headers always describe the day', ({ day }) => day),
  describing(
    'headers-describe-the-day-once-it-is-used-up',
    'The headers describe the day only once it is used up',
    ({ minute, day }) => (day.remaining === 0 ? day : minute),
  ),
  describing(
    'headers-describe-the-fuller-window',
    'The headers describe the window of which the greater part is used up',
    ({ minute, day }) => (day.remaining / day.limit < minute.remaining / minute.limit ? day : minute),
  ),
  {
    id: 'headers-made-after-others-counted',
    title: 'Remaining is read when the response is written, when requests may have counted that came later',
    freedom: 'moment of the headers',
    alter: describeLate(10),
  },
  withoutKey(
    'reset-now-without-a-key',
    'Without a key, X-RateLimit-Reset is the current second',
    () => (now) => ({
      limit: 0,
      remaining: 0,
      resetUnixSeconds: Math.floor(now),
    }),
  ),
  withoutKey(
    'counted-without-a-key',
    'Requests without a key are counted together, but never refused by that count',
    countStrangers,
  ),
  resetMoved('reset-rounded-down', 'X-RateLimit-Reset is rounded down to a second', -1),
  resetMoved('reset-a-second-later', 'X-RateLimit-Reset is a second later than it could be', 1),
  {
    id: 'header-names-in-small-letters',
    title: 'Header names are in lower case',
    freedom: 'letter-case of header names',
    alter: changeEveryResponse((response) => ({
      ...response,
      headers: response.headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text)),
    })),
  },
  {
    id: 'header-fields-reversed',
    title: 'The header fields come in the reverse order',
    freedom: 'order of header fields',
    alter: changeEveryResponse((response) => {
      const { headers } = response;
      // Pairs keep their order within: the value follows its name.
      return {
        ...response,
        headers: headers.map((_, at) => headers[headers.length - 2 - at + 2 * (at % 2)] ?? ''),
      };
    }),
  },
  {
    ...further(
      'headers-of-40-kilobytes',
      'Every response has a policy of 36 KB and forty Link fields',
      ['Content-Security-Policy-Report-Only', `script-src ${'https://static.example.com/ '.repeat(1_300)}`],
      ...Array.from({ length: 40 }, (_, page): readonly [string, string] => [
        'Link',
        `</assets/page-${page}.css>; rel="preload"; as="style"; crossorigin="anonymous"; fetchpriority="high"`,
      ]),
    ),
    freedom: 'size of the header section',
  },
  further(
    'rate-limit-headers-of-other-windows-beside',
    'Further headers describe each window and the resource',
    ['X-RateLimit-Used', '18'],
    ['X-RateLimit-Resource', 'core'],
    ['X-RateLimit-Limit-Day', '1000'],
    ['X-RateLimit-Remaining-Day', '900'],
    ['X-Rate-Limit-Reset', '30'],
  ),
  {
    id: 'retry-after-always',
    title: 'Accepted responses carry Retry-After: 0',
    freedom: 'further header fields',
    alter: changeEveryResponse((response) =>
      response.status === 200 && headerOf(response, 'Retry-After') === undefined
        ? withHeader(response, 'Retry-After', '0')
        : response,
    ),
  },
  {
    id: 'no-date',
    title: 'Responses carry no Date',
    freedom: 'date header',
    alter: changeEveryResponse((response) => withoutHeader(response, 'Date')),
  },
  {
    id: 'date-a-second-ahead',
    title: 'Date is from a proxy whose clock is a second ahead',
    freedom: 'date header',
    alter: changeEveryResponse((response, _request, { clock }) =>
      withHeader(response, 'Date', httpDate(Math.floor(clock.now()) + 1)),
    ),
  },
];
