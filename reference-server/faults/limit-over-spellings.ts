import type { Alteration } from '../alterations/alteration.ts';
import { letPass } from '../alterations/decisions.ts';
import { credentialsOf } from '../alterations/requests.ts';
import { type Occasion, countApart, leaveUncounted } from '../alterations/windows.ts';
import { type Fault, breaking } from './fault.ts';
import { headerOf } from '../service/messages.ts';
import type { RoutedOperation } from '../service/router.ts';

/** Spellings of a path that reach the operation as the plain one does. */
const TRAILING_SLASH = { name: 'a trailing slash', pattern: /^[^?]*\/(?:\?|$)/, freedom: 'path spellings' };

const QUERY = { name: 'a query string', pattern: /\?/, freedom: 'query parameters' };

const PERCENT_ENCODING = { name: 'percent-encoding', pattern: /%/, freedom: 'path spellings' };

type Spelling = typeof QUERY;

function fault(id: string, title: string, alter: Alteration, excludes?: readonly string[]): Fault {
  return {
    id,
    title,
    breaks: 'limit-over-spellings',
    ...(excludes === undefined ? {} : { excludes }),
    alter,
  };
}

function pathOf({ request }: Occasion): string {
  return request?.target.replace(/\?.*$/s, '') ?? '';
}

function schemeOf(request: Occasion['request']): string {
  return /^\S+\s+/.exec((request && credentialsOf(request)) ?? '')?.[0] ?? '';
}

function neverLimited(id: string, title: string, operation: RoutedOperation): Fault {
  return fault(
    id,
    title,
    letPass((asking) => asking.operation === operation),
  );
}

function uncounted(id: string, title: string, operation: RoutedOperation): Fault {
  return fault(
    id,
    title,
    leaveUncounted('minute', () => (occasion) => occasion.operation === operation),
  );
}

function spellingNeverLimited(id: string, { name, pattern, freedom }: Spelling): Fault {
  return fault(
    id,
    `A path with ${name} is never answered 429`,
    letPass(({ request }) => pattern.test(request.target)),
    [freedom],
  );
}

function spellingCountedApart(id: string, { name, pattern, freedom }: Spelling): Fault {
  return fault(
    id,
    `Paths with ${name} are counted separately`,
    countApart('minute', ({ request }) => `${pattern.test(request?.target ?? '')}`),
    [freedom],
  );
}

function minutePerField(id: string, field: string): Fault {
  return fault(
    id,
    `Each value of ${field} is counted separately`,
    countApart('minute', ({ request }) => (request === undefined ? '' : (headerOf(request, field) ?? ''))),
  );
}

export const LIMIT_OVER_SPELLINGS_FAULTS: readonly Fault[] = [
  neverLimited('updates-unlimited', 'An update is never answered 429', 'updateInventory'),
  uncounted('lists-uncounted', 'GET /inventory does not count against the per-minute limit', 'listInventory'),
  uncounted('pets-uncounted', 'GET /pets/{petId} does not count against the per-minute limit', 'getPet'),
  spellingNeverLimited('trailing-slash-unlimited', TRAILING_SLASH),
  spellingNeverLimited('query-unlimited', QUERY),
  spellingCountedApart('query-counted-apart', QUERY),
  spellingCountedApart('percent-encoding-counted-apart', PERCENT_ENCODING),
  minutePerField('minute-per-forwarded-address', 'X-Forwarded-For'),
  minutePerField('minute-per-connecting-address', 'CF-Connecting-IP'),
  minutePerField('minute-per-session', 'Cookie'),
  minutePerField('minute-per-tenant', 'X-Tenant-Id'),
  fault(
    'conditional-requests-uncounted',
    'A request with If-None-Match or If-Modified-Since does not count against the per-minute limit',
    leaveUncounted(
      'minute',
      () => (occasion) =>
        ['If-None-Match', 'If-Modified-Since'].some(
          (field) => occasion.request !== undefined && headerOf(occasion.request, field) !== undefined,
        ),
    ),
  ),
  ...breaking('limit-over-spellings', {
    'updates-with-trailing-slash-unlimited': {
      title: 'An update whose path has a trailing slash is never answered 429',
      excludes: [TRAILING_SLASH.freedom],
      alter: letPass(
        ({ request, operation }) =>
          operation === 'updateInventory' && TRAILING_SLASH.pattern.test(request.target),
      ),
    },
    'minute-per-spelling-of-a-key': {
      title: 'Each spelling of the scheme before a key has its own per-minute limit',
      excludes: ['letter-case of the scheme'],
      alter: countApart('minute', ({ request }) => schemeOf(request)),
    },
    'minute-per-operation': {
      title: 'Each operation has its own per-minute limit',
      alter: countApart('minute', ({ operation }) => operation ?? ''),
    },
    'minute-per-path': {
      title: 'Each path has its own per-minute limit',
      alter: countApart('minute', pathOf),
    },
    'minute-per-pet': {
      title: 'The updates of each pet have their own per-minute limit',
      alter: countApart('minute', (occasion) =>
        occasion.operation === 'updateInventory' ? pathOf(occasion) : '',
      ),
    },
  }),
];
