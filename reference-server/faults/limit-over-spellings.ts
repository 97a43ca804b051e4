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

const LONG_BYTES = 1_000;

function pathOf({ request }: Occasion): string {
  return request?.target.replace(/\?.*$/s, '') ?? '';
}

function countSpellingApart(pattern: RegExp): Alteration {
  return countMinutesApart(({ request }) => `${pattern.test(request?.target ?? '')}`);
}

function countFieldApart(field: string): Alteration {
  return countMinutesApart(({ request }) => (request === undefined ? '' : (headerOf(request, field) ?? '')));
}

export const LIMIT_OVER_SPELLINGS_FAULTS = breaking('limit-over-spellings', {
  'updates-unlimited': [
    'An update is never answered 429',
    letPass(({ operation }) => operation === 'updateInventory'),
  ],
  'lists-uncounted': [
    'GET /inventory does not count against the per-minute limit',
    leaveUncounted(({ operation }) => operation === 'listInventory'),
  ],
  'pets-uncounted': [
    'GET /pets/{petId} does not count against the per-minute limit',
    leaveUncounted(({ operation }) => operation === 'getPet'),
  ],
  'trailing-slash-unlimited': [
    'A path with a trailing slash is never answered 429',
    letPass(({ request }) => TRAILING_SLASH.test(request.target)),
    { excludes: ['path spellings'] },
  ],
  'query-unlimited': [
    'A path with a query string is never answered 429',
    letPass(({ request }) => QUERY.test(request.target)),
    { excludes: ['query parameters'] },
  ],
  'query-counted-apart': [
    'Paths with a query string are counted separately',
    countSpellingApart(QUERY),
    { excludes: ['query parameters'] },
  ],
  'percent-encoding-counted-apart': [
    'Paths with percent-encoding are counted separately',
    countSpellingApart(PERCENT_ENCODING),
    { excludes: ['path spellings'] },
  ],
  'minute-per-forwarded-address': [
    'Each value of X-Forwarded-For is counted separately',
    countFieldApart('X-Forwarded-For'),
  ],
  'minute-per-connecting-address': [
    'Each value of CF-Connecting-IP is counted separately',
    countFieldApart('CF-Connecting-IP'),
  ],
  'inner-addresses-unlimited': [
    'A request with X-Forwarded-For: 127.0.0.1 is never answered 429',
    letPass(({ request }) => headerOf(request, 'X-Forwarded-For') === '127.0.0.1'),
  ],
  'closing-requests-unlimited': [
    'A request with Connection: close is never answered 429',
    letPass(({ request }) => /close/i.test(headerOf(request, 'Connection') ?? '')),
  ],
  'updates-in-chunks-uncounted': [
    'An update in chunks does not count against the per-minute limit',
    leaveUncounted(
      ({ request }) => request !== undefined && headerOf(request, 'Transfer-Encoding') !== undefined,
    ),
    { excludes: ['request length'] },
  ],
  'long-updates-uncounted': [
    'An update of more than a thousand bytes does not count against the per-minute limit',
    leaveUncounted(
      ({ request }) => Number((request && headerOf(request, 'Content-Length')) ?? 0) > LONG_BYTES,
    ),
  ],
  'health-checks-uncounted': [
    'A request whose User-Agent is a health checker does not count against the per-minute limit',
    leaveUncounted(
      ({ request }) =>
        request !== undefined && /kube-probe|ELB-Health/.test(headerOf(request, 'User-Agent') ?? ''),
    ),
  ],
  'upgrades-uncounted': [
    'A request with Expect or Upgrade does not count against the per-minute limit',
    leaveUncounted(({ request }) =>
      ['Expect', 'Upgrade'].some((field) => request !== undefined && headerOf(request, field) !== undefined),
    ),
  ],
  'long-queries-uncounted': [
    'A request whose target is longer than a thousand bytes does not count against the per-minute limit',
    leaveUncounted(({ request }) => (request?.target.length ?? 0) > LONG_BYTES),
    { excludes: ['query parameters'] },
  ],
  'minute-per-session': ['Each value of Cookie is counted separately', countFieldApart('Cookie')],
  'minute-per-tenant': ['Each value of X-Tenant-Id is counted separately', countFieldApart('X-Tenant-Id')],
  'conditional-requests-uncounted': [
    'A request with If-None-Match or If-Modified-Since does not count against the per-minute limit',
    leaveUncounted(({ request }) =>
      ['If-None-Match', 'If-Modified-Since'].some(
        (field) => request !== undefined && headerOf(request, field) !== undefined,
      ),
    ),
  ],
  'updates-with-trailing-slash-unlimited': [
    'An update whose path has a trailing slash is never answered 429',
    letPass(
      ({ request, operation }) => operation === 'updateInventory' && TRAILING_SLASH.test(request.target),
    ),
    { excludes: ['path spellings'] },
  ],
  'minute-per-spelling-of-a-key': [
    'Each spelling of the scheme before a key has its own per-minute limit',
    countMinutesApart(({ request }) => /^\S+\s+/.exec((request && credentialsOf(request)) ?? '')?.[0] ?? ''),
    { excludes: ['letter-case of the scheme'] },
  ],
  'minute-per-operation': [
    'Each operation has its own per-minute limit',
    countMinutesApart(({ operation }) => operation ?? ''),
  ],
  'minute-per-path': ['Each path has its own per-minute limit', countMinutesApart(pathOf)],
  'minute-per-pet': [
    'The updates of each pet have their own per-minute limit',
    countMinutesApart((occasion) => (occasion.operation === 'updateInventory' ? pathOf(occasion) : '')),
  ],
});
