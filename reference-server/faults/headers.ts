import { RATE_LIMIT_HEADERS, type RateLimitHeader } from '../../contract/rate-limit-headers.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { everyNth, keyOf, operationOf } from '../alterations/requests.ts';
import { changeResponses, setHeaderWhere } from '../alterations/responses.ts';
import { answerUpdatesLater, isNoJson } from '../alterations/updates.ts';
import { type Fault, breaking } from './fault.ts';
import {
  headerOf,
  rewriteHeader,
  withHeader,
  withoutHeader,
  type ServiceRequest,
  type ServiceResponse,
} from '../service/messages.ts';
import { httpDate } from '../service/answer.ts';
import type { Decision } from '../service/rate-limiter.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';

const LIMIT = 'X-RateLimit-Limit';

const REMAINING = 'X-RateLimit-Remaining';

const RESET = 'X-RateLimit-Reset';

function written(id: string, header: RateLimitHeader, how: string, write: (value: string) => string): Fault {
  return {
    id,
    title: `${header} ${how}`,
    breaks: requirementOf(header),
    alter: changeResponses((response) => rewriteHeader(response, header, write)),
  };
}

function renamed(rename: (name: RateLimitHeader) => string): Alteration {
  return changeResponses((response) =>
    RATE_LIMIT_HEADERS.reduce((changed, name) => {
      const value = headerOf(changed, name);
      return value === undefined ? changed : withHeader(withoutHeader(changed, name), rename(name), value);
    }, response),
  );
}

function append(response: ServiceResponse, name: string, value: string): ServiceResponse {
  return { ...response, headers: [...response.headers, name, value] };
}

type Condition = (response: ServiceResponse, request: ServiceRequest, parts: ServiceParts) => boolean;

function lacks(id: string, header: RateLimitHeader, what: string, isMeant: Condition): Fault {
  return {
    id,
    title: `${what} has no ${header}`,
    breaks: requirementOf(header),
    alter: changeResponses((response, request, parts) =>
      isMeant(response, request, parts) ? withoutHeader(response, header) : response,
    ),
  };
}

/** The requirement that a header is there, once, as a decimal integer. */
function requirementOf(header: RateLimitHeader): 'header-limit' | 'header-remaining' | 'header-reset' {
  const ids = { [LIMIT]: 'header-limit', [REMAINING]: 'header-remaining', [RESET]: 'header-reset' } as const;
  return ids[header];
}

/** An answer that the operation itself gave. */
function on(operation: RoutedOperation, status?: number): Condition {
  return (response, request, parts) =>
    (status === undefined ? ![401, 429].includes(response.status) : response.status === status) &&
    operationOf(parts, request) === operation;
}

/** A 401 for want of a valid key. */
const withoutKey: Condition = ({ status }, request, parts) =>
  status === 401 && keyOf(parts, request) === undefined;

/** A 429 for a limit, not for a ban. */
const limited: Condition = ({ status }, request, parts) => {
  const decision = lookAgain(request, parts);
  const isBan = decision?.banned === true && parts.banStatus === 429;
  return status === 429 && !isBan;
};

/** What the limiter would decide on the key of a request. */
function lookAgain(request: ServiceRequest, parts: ServiceParts): Decision | undefined {
  const key = keyOf(parts, request);
  return key === undefined ? undefined : parts.limiter.look(key, parts.clock.now());
}

const isFifteenth = everyNth(15);

const onceInFifteen: Condition = (_response, _request, parts) => isFifteenth(parts);

function withoutHeaders(response: ServiceResponse): ServiceResponse {
  return RATE_LIMIT_HEADERS.reduce(withoutHeader, response);
}

function withoutHeadersOnMalformedJson(): Alteration {
  return {
    service: (service) => ({
      ...service,
      respond: async (request) => {
        let isMalformed = false;
        const response = await service.respond({
          ...request,
          readBody: async () => {
            const reading = await request.readBody();
            isMalformed = reading.state === 'complete' && isNoJson(reading.bytes);
            return reading;
          },
        });
        return isMalformed && response.status === 400 ? withoutHeaders(response) : response;
      },
    }),
  };
}

function withoutResetUnderConcurrency(): Alteration {
  return {
    answers: answerUpdatesLater,
    service: (service) => {
      let underWay = 0;
      return {
        ...service,
        respond: (request) => {
          underWay += 1;
          const isAlone = underWay === 1;
          const finish = (response: ServiceResponse): ServiceResponse => {
            underWay -= 1;
            return isAlone ? response : withoutHeader(response, RESET);
          };
          const response = service.respond(request);
          return response instanceof Promise ? response.then(finish) : finish(response);
        },
      };
    },
  };
}

export const HEADERS_FAULTS: readonly Fault[] = [
  written('limit-with-policy', LIMIT, 'is followed by a policy', (value) => `${value}, ${value};w=60`),
  written('remaining-empty-at-zero', REMAINING, 'is empty when nothing remains', (value) =>
    value === '0' ? '' : value,
  ),
  written('reset-as-decimal', RESET, 'has a decimal fraction', (value) => `${value}.250`),
  written('reset-as-http-date', RESET, 'is an HTTP-date', (value) => httpDate(Number(value))),
  lacks('limit-missing-on-list', LIMIT, 'The list', on('listInventory')),
  lacks('reset-missing-on-updates', RESET, 'The answer to an update', on('updateInventory', 200)),
  lacks('remaining-missing-on-pets', REMAINING, 'An answer to GET /pets/{petId}', on('getPet')),
  lacks('reset-missing-on-orders', RESET, 'An answer to GET /store/orders', on('listOrders')),
  lacks('limit-missing-on-400', LIMIT, 'A 400', on('updateInventory', 400)),
  lacks('remaining-missing-on-404', REMAINING, 'A 404', on('updateInventory', 404)),
  lacks('limit-missing-on-401', LIMIT, 'A 401', withoutKey),
  lacks('reset-missing-on-429', RESET, 'A 429', limited),
  lacks('limit-missing-on-429-of-the-day', LIMIT, 'A 429 of the per-day limit', (...given) => {
    const [, request, parts] = given;
    return limited(...given) && lookAgain(request, parts)?.day.remaining === 0;
  }),
  lacks('limit-missing-once-in-fifteen', LIMIT, 'One response in fifteen', onceInFifteen),
  lacks('remaining-missing-once-in-fifteen', REMAINING, 'One response in fifteen', onceInFifteen),
  lacks('reset-missing-once-in-fifteen', RESET, 'One response in fifteen', onceInFifteen),
  lacks(
    'reset-missing-before-close',
    RESET,
    'A response to a request with Connection: close',
    (_response, request) => headerOf(request, 'Connection')?.toLowerCase() === 'close',
  ),
  ...breaking('date-header', {
    'date-of-1970': {
      title: 'Date is the first second of 1970',
      excludes: ['date header'],
      alter: setHeaderWhere(
        (response) => headerOf(response, 'Date') !== undefined,
        'Date',
        'Thu, 01 Jan 1970 00:00:00 GMT',
      ),
    },
  }),
  ...breaking('header-limit', {
    'limit-of-millions-as-a-float': {
      title: 'X-RateLimit-Limit of a million or more is written with an exponent',
      alter: changeResponses((response) =>
        rewriteHeader(response, LIMIT, (value) =>
          Number(value) < 1_000_000 ? value : Number(value).toExponential(),
        ),
      ),
    },
    'limit-twice': {
      title: 'X-RateLimit-Limit is sent twice',
      alter: changeResponses((response) => append(response, LIMIT, headerOf(response, LIMIT) ?? '')),
    },
    'headers-of-the-draft': {
      title: 'The headers are named RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset',
      alter: renamed((name) => name.slice('X-'.length)),
    },
    'headers-missing-on-malformed-json': {
      title: 'A 400 for content that is not JSON has none of the three headers',
      alter: withoutHeadersOnMalformedJson(),
    },
    'headers-on-failure-only': {
      title: 'Only a 429 has the three headers',
      alter: changeResponses((response) => (response.status === 429 ? response : withoutHeaders(response))),
    },
  }),
  ...breaking('header-remaining', {
    'remaining-twice-and-different': {
      title: 'X-RateLimit-Remaining is sent twice, with different values',
      alter: changeResponses((response) => append(response, REMAINING, '9')),
    },
    'remaining-not-a-number-without-key': {
      title: 'X-RateLimit-Remaining is NaN without a valid key',
      alter: changeResponses((response, request, parts) =>
        withoutKey(response, request, parts) ? rewriteHeader(response, REMAINING, () => 'NaN') : response,
      ),
    },
    'headers-on-success-only': {
      title: 'Only successful responses have the three headers',
      alsoBreaks: ['header-limit', 'header-reset'],
      alter: changeResponses((response) => (response.status < 400 ? response : withoutHeaders(response))),
    },
  }),
  ...breaking('header-reset', {
    'headers-in-one-field': {
      title: 'One field RateLimit holds all three values',
      alsoBreaks: ['header-limit', 'header-remaining'],
      alter: changeResponses((response) => {
        const [limit, remaining, reset] = RATE_LIMIT_HEADERS.map((name) => headerOf(response, name));
        return append(
          RATE_LIMIT_HEADERS.reduce(withoutHeader, response),
          'RateLimit',
          `limit=${limit}, remaining=${remaining}, reset=${reset}`,
        );
      }),
    },
    'reset-missing-under-concurrency': {
      title: 'A response has no X-RateLimit-Reset if its request came while another was being answered',
      alter: withoutResetUnderConcurrency(),
    },
  }),
];
