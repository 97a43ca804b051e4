import { RATE_LIMIT_HEADERS, type RateLimitHeader } from '../../contract/rate-limit-headers.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { ServiceResponse } from '../service/messages.ts';
import { httpDate } from '../service/render.ts';
import { changeResponses, headerOf, withHeader, withoutHeader } from '../alterations/response-changes.ts';
import type { Fault } from './fault.ts';
import { requirementOf, setHeader, withoutKey } from './rate-limit-headers.ts';

const LIMIT = 'X-RateLimit-Limit';
const REMAINING = 'X-RateLimit-Remaining';
const RESET = 'X-RateLimit-Reset';

/** Headers that stand more than once, under another name, or not as one decimal integer. */
export const RATE_LIMIT_HEADER_FORM_FAULTS: readonly Fault[] = [
  {
    id: 'limit-twice',
    title: 'X-RateLimit-Limit stands twice',
    breaks: 'header-limit',
    alter: changeResponses(() => (response) => append(response, LIMIT, headerOf(response, LIMIT) ?? '')),
  },
  {
    id: 'remaining-twice-and-different',
    title: 'X-RateLimit-Remaining stands twice, with different values',
    breaks: 'header-remaining',
    alter: changeResponses(() => (response) => append(response, REMAINING, '9')),
  },
  {
    id: 'headers-of-the-draft',
    title: 'The headers are named RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset',
    breaks: 'header-limit',
    alter: renamed((name) => name.slice('X-'.length)),
  },
  {
    id: 'headers-in-one-field',
    title: 'One field RateLimit holds all three values',
    breaks: 'header-reset',
    alter: changeResponses(() => (response) => {
      const [limit, remaining, reset] = RATE_LIMIT_HEADERS.map((name) => headerOf(response, name));
      return append(
        RATE_LIMIT_HEADERS.reduce(withoutHeader, response),
        'RateLimit',
        `limit=${limit}, remaining=${remaining}, reset=${reset}`,
      );
    }),
  },

  written('limit-with-policy', LIMIT, 'is followed by a policy', (value) => `${value}, ${value};w=60`),
  written('remaining-empty-at-zero', REMAINING, 'is empty when nothing remains', (value) =>
    value === '0' ? '' : value,
  ),
  written('reset-as-decimal', RESET, 'has a decimal fraction', (value) => `${value}.250`),
  written('reset-as-http-date', RESET, 'is an HTTP-date', (value) => httpDate(Number(value))),
  {
    id: 'remaining-not-a-number-without-key',
    title: 'X-RateLimit-Remaining is NaN where there is no valid key',
    breaks: 'header-remaining',
    alter: changeResponses((parts) => {
      const isMeant = withoutKey(parts);
      return (response, request) =>
        isMeant(response, request) ? setHeader(response, REMAINING, () => 'NaN') : response;
    }),
  },
];

function written(id: string, header: RateLimitHeader, how: string, write: (value: string) => string): Fault {
  return {
    id,
    title: `${header} ${how}`,
    breaks: requirementOf(header),
    alter: changeResponses(() => (response) => setHeader(response, header, write)),
  };
}

function renamed(rename: (name: RateLimitHeader) => string): Alteration {
  return changeResponses(
    () => (response) =>
      RATE_LIMIT_HEADERS.reduce((changed, name) => {
        const value = headerOf(changed, name);
        return value === undefined ? changed : withHeader(withoutHeader(changed, name), rename(name), value);
      }, response),
  );
}

function append(response: ServiceResponse, name: string, value: string): ServiceResponse {
  return { ...response, headers: [...response.headers, name, value] };
}
