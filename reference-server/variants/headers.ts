import { setTimeout as sleep } from 'node:timers/promises';

import { MINUTE_SECONDS, PLAN_LIMITS } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeEveryResponse, handleRequests } from '../alterations/responses.ts';
import { headerOf, withHeader, withoutHeader } from '../service/messages.ts';
import type { Decision, LimitState } from '../service/rate-limiter.ts';
import { httpDate } from '../service/answer.ts';
import type { ServiceParts } from '../service/service.ts';
import { permitting } from './variant.ts';

function describing(describe: (decision: Decision) => LimitState): Alteration {
  return { parts: () => ({ describe }) };
}

const REMAINING = 'X-RateLimit-Remaining';

/** Makes the headers when the response is written, when requests may have counted that came later. */
function describeLate(milliseconds: number): Alteration {
  return handleRequests(async (request, service, { authenticate, keys, limiter, describe, clock }) => {
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
  });
}

function withoutKey(start: () => ServiceParts['describeWithoutKey']): Alteration {
  return { parts: () => ({ describeWithoutKey: start() }) };
}

function resetMoved(bySeconds: number): Alteration {
  return {
    parts: ({ render }) => ({
      render: (answer, limit, now) =>
        render(answer, { ...limit, resetUnixSeconds: limit.resetUnixSeconds + bySeconds }, now),
    }),
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

function further(...fields: readonly (readonly [name: string, value: string])[]): Alteration {
  return changeHeaders((headers) => [...headers, ...fields.flat()]);
}

function changeHeaders(change: (headers: readonly string[]) => readonly string[]): Alteration {
  return changeEveryResponse((response) => ({ ...response, headers: [...change(response.headers)] }));
}

export const HEADERS_VARIANTS = permitting({
  'described window': {
    'headers-describe-the-minute': [
      'The headers always describe the minute',
      describing(({ minute }) => minute),
    ],
    'headers-describe-the-day': ['The headers always describe the day', describing(({ day }) => day)],
    'headers-describe-the-day-once-it-is-used-up': [
      'The headers describe the day only once it is used up',
      describing(({ minute, day }) => (day.remaining === 0 ? day : minute)),
    ],
    'headers-describe-the-fuller-window': [
      'The headers describe the window of which the greater part is used up',
      describing(({ minute, day }) =>
        day.remaining / day.limit < minute.remaining / minute.limit ? day : minute,
      ),
    ],
  },
  'moment of the headers': {
    'headers-made-after-others-counted': [
      'Remaining is read when the response is written, when requests may have counted that came later',
      describeLate(10),
    ],
  },
  'headers without a key': {
    'reset-now-without-a-key': [
      'Without a key, X-RateLimit-Reset is the current second',
      withoutKey(() => (now) => ({ limit: 0, remaining: 0, resetUnixSeconds: Math.floor(now) })),
    ],
    'counted-without-a-key': [
      'Requests without a key are counted together, but never refused by that count',
      withoutKey(countStrangers),
    ],
  },
  'reset rounding': {
    'reset-rounded-down': ['X-RateLimit-Reset is rounded down to a second', resetMoved(-1)],
    'reset-a-second-later': ['X-RateLimit-Reset is a second later than it could be', resetMoved(1)],
  },
  'letter-case of header names': {
    'header-names-in-small-letters': [
      'Header names are in lower case',
      changeHeaders((headers) => headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text))),
    ],
  },
  'order of header fields': {
    'header-fields-reversed': [
      'The header fields come in the reverse order',
      // Pairs keep their order within: the value follows its name.
      changeHeaders((headers) =>
        headers.map((_, at) => headers[headers.length - 2 - at + 2 * (at % 2)] ?? ''),
      ),
    ],
  },
  'further header fields': {
    'rate-limit-headers-of-other-windows-beside': [
      'Further headers describe each window and the resource',
      further(
        ['X-RateLimit-Used', '18'],
        ['X-RateLimit-Resource', 'core'],
        ['X-RateLimit-Limit-Day', '1000'],
        ['X-RateLimit-Remaining-Day', '900'],
        ['X-Rate-Limit-Reset', '30'],
      ),
    ],
    'retry-after-always': [
      'Accepted responses carry Retry-After: 0',
      changeEveryResponse((response) =>
        response.status === 200 && headerOf(response, 'Retry-After') === undefined
          ? withHeader(response, 'Retry-After', '0')
          : response,
      ),
    ],
  },
  'size of the header section': {
    'headers-of-40-kilobytes': [
      'Every response has a policy of 36 KB and forty Link fields',
      further(
        ['Content-Security-Policy-Report-Only', `script-src ${'https://static.example.com/ '.repeat(1_300)}`],
        ...Array.from({ length: 40 }, (_, page): readonly [string, string] => [
          'Link',
          `</assets/page-${page}.css>; rel="preload"; as="style"; crossorigin="anonymous"; fetchpriority="high"`,
        ]),
      ),
    ],
  },
  'date header': {
    'no-date': [
      'Responses carry no Date',
      changeEveryResponse((response) => withoutHeader(response, 'Date')),
    ],
    'date-a-second-ahead': [
      'Date is from a proxy whose clock is a second ahead',
      changeEveryResponse((response, _request, { clock }) =>
        withHeader(response, 'Date', httpDate(Math.floor(clock.now()) + 1)),
      ),
    ],
  },
});
