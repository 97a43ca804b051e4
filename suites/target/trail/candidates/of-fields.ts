import { LONGEST_TEMPORARY_SECONDS } from '../../../../contract/bans.ts';
import { headerValues, RATE_LIMIT_HEADERS } from '../../../../contract/rate-limit-headers.ts';
import type { RequirementId } from '../../../../contract/requirements/index.ts';
import type { Exchange } from '../../../oracle/index.ts';
import type { LoggedRequest } from '../trail-log.ts';
import { type FindingScene, type Candidate, only } from './candidate.ts';

const HTTP_DATE = '^[A-Z][a-z]{2,8},? [0-9A-Za-z -]+ [0-9:]{8}( GMT| [0-9]{4})$';
const FIELD_OF: Readonly<Record<(typeof RATE_LIMIT_HEADERS)[number], RequirementId>> = {
  'X-RateLimit-Limit': 'header-limit',
  'X-RateLimit-Remaining': 'header-remaining',
  'X-RateLimit-Reset': 'header-reset',
};

export function candidatesOfFields(
  { decisive, exchange, keys }: FindingScene,
  answer: number,
): readonly Candidate[] {
  const limits = keys.get(decisive.key ?? '')?.limits ?? null;
  const most = limits === null ? null : longestWait(exchange);
  return [
    ...RATE_LIMIT_HEADERS.map((name) => field(FIELD_OF[name], name, '^-?[0-9]+$')),
    ...RATE_LIMIT_HEADERS.map((name) =>
      field('ban-answer', name, '', { answer, statuses: ['401', '403', '429'] }),
    ),
    {
      about: only('remaining-in-range'),
      expectation: {
        expect: 'number',
        answer,
        name: 'X-RateLimit-Remaining',
        least: 0,
        most: 'X-RateLimit-Limit',
      },
    },
    ...(limits === null
      ? []
      : [
          field('limit-of-plan', 'X-RateLimit-Limit', `^(${limits.perMinute}|${limits.perDay})$`, { answer }),
        ]),
    {
      about: only('reset-is-near'),
      expectation: { expect: 'near reset', answer, perDay: limits?.perDay ?? null },
    },
    field(
      'content-type-json',
      'Content-Type',
      '^[Aa][Pp][Pp][Ll][Ii][Cc][Aa][Tt][Ii][Oo][Nn]/[Jj][Ss][Oo][Nn]([ ;].*)?$',
      {
        answer,
        statuses: ['200', '400', '401', '404'],
      },
    ),
    field('retry-after-present', 'Retry-After', '', { statuses: ['429'] }),
    field('retry-after-valid', 'Retry-After', `^[0-9]+$|${HTTP_DATE}`, {
      statuses: ['429'],
      isOptional: true,
    }),
    ...(most === null
      ? []
      : [
          {
            about: only('retry-after-plausible'),
            expectation: { expect: 'number', answer, name: 'Retry-After', least: 0, most } as const,
          },
        ]),
    field('www-authenticate', 'WWW-Authenticate', '[A-Za-z]', { statuses: ['401'] }),
    field('date-header', 'Date', HTTP_DATE, { answer, isOptional: true }),
    field('sunset-header', 'Sunset', HTTP_DATE, { answer, isOptional: true }),
    field('deprecation-header', 'Deprecation', '^@-?[0-9]+$', { answer, isOptional: true }),
    field('method-not-allowed', 'Allow', allowedOn(decisive), { answer, statuses: ['405'] }),
  ];
}

/** A field that has to match, in every answer or in those that `more` names. */
function field(
  id: RequirementId,
  name: string,
  matches: string,
  more: { answer?: number; statuses?: readonly string[]; isOptional?: true } = {},
): Candidate {
  return {
    about: only(id),
    expectation: { expect: 'field', answer: null, statuses: [], name, matches, ...more },
  };
}

const PLAUSIBLE_MINUTE_SECONDS = 122;

function longestWait(exchange: Exchange | null): number {
  const told = headerValues(exchange?.response.headers ?? [], 'Retry-After')[0];
  return Number(told) > LONGEST_TEMPORARY_SECONDS ? LONGEST_TEMPORARY_SECONDS : PLAUSIBLE_MINUTE_SECONDS;
}

function allowedOn({ request: { path } }: LoggedRequest): string {
  return /^\/inventory\/[^/]/.test(path) ? 'PATCH' : 'GET';
}
