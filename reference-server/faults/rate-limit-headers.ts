import { RATE_LIMIT_HEADERS, type RateLimitHeader } from '../../contract/rate-limit-headers.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { ServiceRequest, ServiceResponse } from '../service/messages.ts';
import {
  changeResponses,
  everyNth,
  headerOf,
  keyOf,
  operationOf,
  withHeader,
  withoutHeader,
} from '../alterations/response-changes.ts';
import type { RoutedOperation } from '../service/router.ts';
import type { ServiceParts } from '../service/service.ts';
import type { Fault } from './fault.ts';
import { answerUpdatesLater } from './slow-updates.ts';

type Condition = (response: ServiceResponse, request: ServiceRequest) => boolean;

const LIMIT = 'X-RateLimit-Limit';
const REMAINING = 'X-RateLimit-Remaining';
const RESET = 'X-RateLimit-Reset';

/** Responses that lack one of the three headers, or all of them. */
export const RATE_LIMIT_HEADER_FAULTS: readonly Fault[] = [
  lacks('limit-missing-on-list', LIMIT, 'The list', on('listInventory')),
  lacks('reset-missing-on-updates', RESET, 'The answer to an update', on('updateInventory', 200)),
  lacks('remaining-missing-on-pets', REMAINING, 'An answer to GET /pets/{petId}', on('getPet')),
  lacks('reset-missing-on-orders', RESET, 'An answer to GET /store/orders', on('listOrders')),
  lacks('limit-missing-on-400', LIMIT, 'A 400', on('updateInventory', 400)),
  lacks('remaining-missing-on-404', REMAINING, 'A 404', on('updateInventory', 404)),
  lacks('limit-missing-on-401', LIMIT, 'A 401', withoutKey),
  lacks('reset-missing-on-429', RESET, 'A 429', limited),
  lacks('limit-missing-on-429-of-the-day', LIMIT, 'A 429 for the limit of the day', (parts) => {
    const isLimited = limited(parts);
    return (response, request) => {
      const key = keyOf(parts, request);
      return (
        key !== undefined &&
        isLimited(response, request) &&
        parts.limiter.look(key, parts.clock.now()).day.remaining <= 0
      );
    };
  }),
  {
    ...lacks('remaining-missing-in-ban', REMAINING, 'An answer to a banned key', banned),
    excludes: ['no-ban'],
  },
  lacks('limit-missing-once-in-fifteen', LIMIT, 'One response in fifteen', onceIn(15)),
  lacks('remaining-missing-once-in-fifteen', REMAINING, 'One response in fifteen', onceIn(15)),
  lacks('reset-missing-once-in-fifteen', RESET, 'One response in fifteen', onceIn(15)),
  {
    id: 'headers-missing-on-malformed-json',
    title: 'A 400 for content that is not JSON has none of the three headers',
    breaks: 'header-limit',
    alter: withoutHeadersOnMalformedJson(),
  },
  {
    id: 'reset-missing-under-concurrency',
    title: 'A response has no X-RateLimit-Reset where its request came while another was being answered',
    breaks: 'header-reset',
    alter: withoutResetUnderConcurrency(),
  },
  {
    id: 'headers-on-success-only',
    title: 'Only successful responses have the three headers',
    breaks: 'header-remaining',
    alter: changeResponses(() => (response) => (response.status < 400 ? response : withoutHeaders(response))),
  },
  {
    id: 'headers-on-failure-only',
    title: 'Only a 429 has the three headers',
    breaks: 'header-limit',
    alter: changeResponses(
      () => (response) => (response.status === 429 ? response : withoutHeaders(response)),
    ),
  },
];

function lacks(
  id: string,
  header: RateLimitHeader,
  what: string,
  start: (parts: ServiceParts) => Condition,
): Fault {
  return {
    id,
    title: `${what} has no ${header}`,
    breaks: requirementOf(header),
    alter: changeResponses((parts) => {
      const isMeant = start(parts);
      return (response, request) => (isMeant(response, request) ? withoutHeader(response, header) : response);
    }),
  };
}

/** The requirement that a header is there, once, as a decimal integer. */
export function requirementOf(header: RateLimitHeader): 'header-limit' | 'header-remaining' | 'header-reset' {
  const ids = { [LIMIT]: 'header-limit', [REMAINING]: 'header-remaining', [RESET]: 'header-reset' } as const;
  return ids[header];
}

/** Rewrites a header where it stands. */
export function setHeader(
  response: ServiceResponse,
  header: RateLimitHeader,
  write: (value: string) => string,
): ServiceResponse {
  const value = headerOf(response, header);
  return value === undefined ? response : withHeader(response, header, write(value));
}

/** An answer that the operation itself gave. */
function on(operation: RoutedOperation, status?: number): (parts: ServiceParts) => Condition {
  return (parts) => (response, request) =>
    (status === undefined ? ![401, 429].includes(response.status) : response.status === status) &&
    operationOf(parts, request) === operation;
}

/** A 401 for want of a valid key. */
export function withoutKey(parts: ServiceParts): Condition {
  return (response, request) => response.status === 401 && keyOf(parts, request) === undefined;
}

/** A 429 for a limit, not for a ban. */
function limited(parts: ServiceParts): Condition {
  const isBanned = banned(parts);
  return (response, request) => response.status === 429 && !isBanned(response, request);
}

function banned(parts: ServiceParts): Condition {
  return (response, request) => {
    const key = keyOf(parts, request);
    return (
      key !== undefined &&
      response.status === parts.banStatus &&
      parts.limiter.look(key, parts.clock.now()).banned
    );
  };
}

function onceIn(nth: number): () => Condition {
  return () => {
    const isNext = everyNth(nth);
    return () => isNext();
  };
}

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
            isMalformed = reading.state === 'complete' && !isJson(reading.bytes);
            return reading;
          },
        });
        return isMalformed && response.status === 400 ? withoutHeaders(response) : response;
      },
    }),
  };
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString());
    return true;
  } catch {
    return false;
  }
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
