import type { Alteration } from '../alterations/alteration.ts';
import { letPass } from '../alterations/decisions.ts';
import { credentialsOf } from '../alterations/requests.ts';
import { type Occasion, countMinutesApart, leaveUncounted } from '../alterations/windows.ts';
import { breaking } from './fault.ts';
import { headerOf } from '../service/messages.ts';

// Spellings of a path that reach the operation as the plain one does.
const TRAILING_SLASH = /^[^?]*\/(?:\?|$)/;
const QUERY = /\?/;
const PERCENT_ENCODING = /%/;

function pathOf({ request }: Occasion): string {
  return request?.target.replace(/\?.*$/s, '') ?? '';
}

function schemeOf(request: Occasion['request']): string {
  return /^\S+\s+/.exec((request && credentialsOf(request)) ?? '')?.[0] ?? '';
}

function countSpellingApart(pattern: RegExp): Alteration {
  return countMinutesApart(({ request }) => `${pattern.test(request?.target ?? '')}`);
}

function countFieldApart(field: string): Alteration {
  return countMinutesApart(({ request }) => (request === undefined ? '' : (headerOf(request, field) ?? '')));
}

export const LIMIT_OVER_SPELLINGS_FAULTS = breaking('limit-over-spellings', {
  'updates-unlimited': {
    title: 'An update is never answered 429',
    alter: letPass(({ operation }) => operation === 'updateInventory'),
  },
  'lists-uncounted': {
    title: 'GET /inventory does not count against the per-minute limit',
    alter: leaveUncounted(({ operation }) => operation === 'listInventory'),
  },
  'pets-uncounted': {
    title: 'GET /pets/{petId} does not count against the per-minute limit',
    alter: leaveUncounted(({ operation }) => operation === 'getPet'),
  },
  'trailing-slash-unlimited': {
    title: 'A path with a trailing slash is never answered 429',
    excludes: ['path spellings'],
    alter: letPass(({ request }) => TRAILING_SLASH.test(request.target)),
  },
  'query-unlimited': {
    title: 'A path with a query string is never answered 429',
    excludes: ['query parameters'],
    alter: letPass(({ request }) => QUERY.test(request.target)),
  },
  'query-counted-apart': {
    title: 'Paths with a query string are counted separately',
    excludes: ['query parameters'],
    alter: countSpellingApart(QUERY),
  },
  'percent-encoding-counted-apart': {
    title: 'Paths with percent-encoding are counted separately',
    excludes: ['path spellings'],
    alter: countSpellingApart(PERCENT_ENCODING),
  },
  'minute-per-forwarded-address': {
    title: 'Each value of X-Forwarded-For is counted separately',
    alter: countFieldApart('X-Forwarded-For'),
  },
  'minute-per-connecting-address': {
    title: 'Each value of CF-Connecting-IP is counted separately',
    alter: countFieldApart('CF-Connecting-IP'),
  },
  'minute-per-session': {
    title: 'Each value of Cookie is counted separately',
    alter: countFieldApart('Cookie'),
  },
  'minute-per-tenant': {
    title: 'Each value of X-Tenant-Id is counted separately',
    alter: countFieldApart('X-Tenant-Id'),
  },
  'conditional-requests-uncounted': {
    title: 'A request with If-None-Match or If-Modified-Since does not count against the per-minute limit',
    alter: leaveUncounted(({ request }) =>
      ['If-None-Match', 'If-Modified-Since'].some(
        (field) => request !== undefined && headerOf(request, field) !== undefined,
      ),
    ),
  },
  'updates-with-trailing-slash-unlimited': {
    title: 'An update whose path has a trailing slash is never answered 429',
    excludes: ['path spellings'],
    alter: letPass(
      ({ request, operation }) => operation === 'updateInventory' && TRAILING_SLASH.test(request.target),
    ),
  },
  'minute-per-spelling-of-a-key': {
    title: 'Each spelling of the scheme before a key has its own per-minute limit',
    excludes: ['letter-case of the scheme'],
    alter: countMinutesApart(({ request }) => schemeOf(request)),
  },
  'minute-per-operation': {
    title: 'Each operation has its own per-minute limit',
    alter: countMinutesApart(({ operation }) => operation ?? ''),
  },
  'minute-per-path': {
    title: 'Each path has its own per-minute limit',
    alter: countMinutesApart(pathOf),
  },
  'minute-per-pet': {
    title: 'The updates of each pet have their own per-minute limit',
    alter: countMinutesApart((occasion) =>
      occasion.operation === 'updateInventory' ? pathOf(occasion) : '',
    ),
  },
});
