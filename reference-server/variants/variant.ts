import type { Alteration } from '../alterations/alteration.ts';

/** What the specification leaves open; a server takes one choice of each. */
export const FREEDOMS = [
  'window algorithm',
  'refused requests',
  'described window',
  'headers without a key',
  'reset rounding',
  'retry-after form',
  'body of a 429',
  'ban threshold',
  'ban length',
  'ban extension',
  'ban status',
  'reset of a ban',
  'body of a ban',
  'letter-case of header names',
  'order of header fields',
  'further header fields',
  'date header',
  'challenge of a 401',
  'letter-case of the scheme',
  'malformed requests',
  'key elsewhere',
  'form of issued keys',
  'further members of items',
  'further members of errors',
  'order of members',
  'error codes',
  'error messages',
  'json text',
  'media type',
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
  'unknown routes',
  'wrong methods',
  'head',
  'options',
  'path spellings',
  'query parameters',
  'base path',
  'store at start',
  'order of the list',
  'status after update',
  'other operations',
  'deprecation headers',
  'connections',
  'framing',
  'content coding',
  'latency',
  'clock',
] as const;

export type Freedom = (typeof FREEDOMS)[number];

/** A choice that the specification permits and the reference does not take. */
export interface Variant {
  /** In words joined by hyphens. */
  readonly id: string;
  /** What is different, in a sentence without a stop. */
  readonly title: string;
  readonly freedom: Freedom;
  /** Takes long to judge since it answers late. */
  readonly isSlow?: true;
  readonly alter: Alteration;
}
