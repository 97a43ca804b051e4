import type { Alteration } from '../alterations/alteration.ts';

/** What the specification leaves open, by area; a server makes one choice of each. A file has the variants of one area. */
export const FREEDOMS_BY_AREA = {
  list: ['store at start', 'order of the list', 'further members of items'],
  update: [
    'negative quantities',
    'large quantities',
    'integral number forms',
    'further request members',
    'duplicate request members',
    'request media type',
    'request size',
    'request length',
    'order of pet and body',
    'order of key and update',
    'odd pet ids',
    'status after update',
  ],
  errors: ['body of a 429', 'body of a ban', 'error codes', 'error messages', 'further members of errors'],
  authentication: [
    'challenge of a 401',
    'letter-case of the scheme',
    'key elsewhere',
    'text behind the key',
    'form of issued keys',
    'malformed requests',
  ],
  headers: [
    'described window',
    'moment of the headers',
    'headers without a key',
    'reset rounding',
    'letter-case of header names',
    'order of header fields',
    'further header fields',
    'size of the header section',
    'date header',
  ],
  limits: ['window algorithm', 'refused requests'],
  retry: ['retry-after form'],
  ban: ['ban threshold', 'ban length', 'ban extension', 'ban status', 'reset of a ban'],
  'other-operations': ['other operations', 'deprecation headers'],
  routes: [
    'unknown routes',
    'wrong methods',
    'head',
    'options',
    'path spellings',
    'query parameters',
    'base path',
  ],
  representation: ['order of members', 'json text', 'media type'],
  transport: ['connections', 'framing', 'content coding', 'latency', 'clock'],
} as const;

export type Freedom = (typeof FREEDOMS_BY_AREA)[keyof typeof FREEDOMS_BY_AREA][number];

export const FREEDOMS: readonly Freedom[] = Object.values(FREEDOMS_BY_AREA).flat();

/** A choice that the specification permits and the reference does not take. */
export interface Variant {
  /** In words joined by hyphens. */
  readonly id: string;
  /** What is different, in a sentence without a stop. */
  readonly title: string;
  readonly freedom: Freedom;
  /** Takes long to judge since it answers late. */
  readonly isSlow?: true;
  /** In real time it is no freedom: what it tells to wait for takes longer than it says. */
  readonly onlyWithControl?: true;
  readonly alter: Alteration;
}
