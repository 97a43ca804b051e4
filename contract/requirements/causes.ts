import type { RequirementId } from './index.ts';

/** What has to be seen of two failures before one is taken to explain the other. */
export type CauseEvidence =
  /** Every exchange that showed the effect showed the cause as well. */
  | 'same exchanges'
  /** One exchange showed both, and the effect was violated no more often. */
  | 'exchange in common'
  /** One exchange showed both, and the effect was violated less often. */
  | 'part of it'
  /** An update also changed another pet. */
  | 'another pet changed'
  /** The effect was seen by no checks but those that saw the cause. */
  | 'same checks'
  /** None of the other causes that the rule names failed. */
  | 'alone'
  /** The cause was seen on other requests than the plain list. */
  | 'not on the list'
  /** The effect was seen neither on the plain list nor on a plain update. */
  | 'other requests'
  /** A check that asked for it found the cause. */
  | 'found by a check'
  /** No check that asked for it found the effect: it was seen in what others sent. */
  | 'seen in passing'
  /** Both: only the cause was found by a check that asked for it. */
  | 'found by a check alone'
  /** A check that asked for it also found in X-RateLimit-Remaining that operations are counted apart. */
  | 'operations counted apart'
  /** Every finding of the effect is an error status, neither 401 nor 429, that a finding of the cause is as well. */
  | 'same status'
  /** Most findings of the effect are a 429 that describes a minute, and asks to wait longer than one may last. */
  | 'longer than a minute'
  /** Every finding of the effect says what one of the cause says, such as that a request got no response. */
  | 'same words'
  /** Neither was found by a check that did not find the other. */
  | 'found by the same checks'
  /** Not by the check that goes beyond a limit in each form was the effect found. */
  | 'not form by form'
  /** More checks found the cause by what they asked for, and no single response shows the effect. */
  | 'found by more checks'
  /** The cause was violated in a much larger share of what was judged. */
  | 'fails more often'
  /** The cause was violated whenever it was judged. */
  | 'always fails'
  /** The effect was violated once. */
  | 'seen once'
  /** Most violations of the effect may be those of the cause, and in most responses the effect held. */
  | 'as often'
  /** The cause was never seen to hold, and the effect was. */
  | 'never held'
  /** The effect was never seen to hold. */
  | 'effect never held'
  /** The effect was seen only after an update had been sent. */
  | 'after updates';

/** If one of the causes fails, so do the effects. */
export interface CauseRule {
  readonly causes: ReadonlySet<string>;
  readonly effects: ReadonlySet<string>;
  readonly when?: CauseEvidence;
}

const MINUTE_LIMITS = [
  'minute-limit-free',
  'minute-limit-pro',
  'minute-limit-business',
  'minute-limit-enterprise',
] as const satisfies readonly RequirementId[];

const DAY_LIMITS = [
  'day-limit-free',
  'day-limit-pro',
  'day-limit-business',
  'day-limit-enterprise',
] as const satisfies readonly RequirementId[];

const ITEM = ['item-pet-id', 'item-quantity', 'item-status'] as const satisfies readonly RequirementId[];
const ERROR = ['error-code', 'error-message', 'error-status'] as const satisfies readonly RequirementId[];
const HEADERS = [
  'header-limit',
  'header-remaining',
  'header-reset',
] as const satisfies readonly RequirementId[];
const BAD_BODIES = [
  'update-missing-quantity',
  'update-invalid-quantity',
  'update-malformed-body',
] as const satisfies readonly RequirementId[];
const KEYS_APART = [
  'keys-independent-at-limit',
  'keys-independent-in-ban',
] as const satisfies readonly RequirementId[];
/** Everything that a wrong count of requests shows in. */
const COUNTING = [
  ...MINUTE_LIMITS,
  ...DAY_LIMITS,
  'limit-under-concurrency',
  'limit-over-spellings',
  'limit-renews',
  'retry-after-honoured',
  'remaining-falls',
  'remaining-counts-operations',
] as const satisfies readonly RequirementId[];
/** What an answer that is always the same fails in, whatever was asked for. */
const ANSWERED = [
  'list-succeeds',
  'update-succeeds',
  'update-unknown-pet',
  ...BAD_BODIES,
  ...KEYS_APART,
  ...COUNTING,
] as const satisfies readonly RequirementId[];
const LISTED = ['list-complete', 'list-one-entry-per-pet'] as const;
const STORED = [
  'update-sets',
  'update-persists',
  'update-touches-one-entry',
  'update-exact-pet',
  'refused-changes-nothing',
] as const;
const REFUSED_KEYS = [
  'missing-key',
  'unknown-key',
  'altered-key',
  'revoked-key',
  'bearer-scheme',
  'every-operation-authenticates',
] as const;

/**
 * Which failures follow from which. The first rule that fits two failures decides between them, so what takes evidence
 * stands before what always holds.
 */
export const CAUSE_RULES: readonly CauseRule[] = [
  // What gets no response fails in whatever asks for it.
  rule(['valid-key-accepted'], [...REFUSED_KEYS, 'ban-ends'], 'same words'),
  // Who is let in.
  rule(['every-operation-authenticates'], REFUSED_KEYS, 'other requests'),
  rule(['altered-key', 'revoked-key', 'bearer-scheme'], ['unknown-key', 'missing-key'], 'fails more often'),
  rule(['unknown-key'], REFUSED_KEYS),
  rule(['missing-key'], REFUSED_KEYS),
  rule(['missing-key'], ['list-succeeds'], 'fails more often'),
  // Bans.
  rule(
    ['ban-only-after-continued'],
    [...MINUTE_LIMITS, ...DAY_LIMITS, ...KEYS_APART],
    'longer than a minute',
  ),
  rule(['ban-answer'], HEADERS, 'same checks'),
  rule(['ban-answer'], HEADERS, 'same status'),
  rule(['ban-answer'], ANSWERED, 'same status'),
  rule(['list-succeeds'], ANSWERED, 'same status'),
  rule(['refusal-is-429'], ['ban-answer'], 'found by a check alone'),
  rule(['ban-answer'], ['refusal-is-429', 'no-server-error']),
  rule(HEADERS, ['ban-answer']),
  rule(['refusal-is-429'], ['list-succeeds', 'update-succeeds', 'no-server-error'], 'found by a check alone'),
  rule(['ban-only-after-continued', 'valid-key-accepted'], ['refusal-is-429'], 'seen in passing'),
  rule(['refusal-is-429'], ['ban-only-after-continued', 'limit-renews']),
  rule(['refusal-is-429'], ['valid-key-accepted'], 'as often'),
  rule(['valid-key-accepted'], ['refusal-is-429']),
  rule(['ban-only-after-continued'], ['valid-key-accepted'], 'as often'),
  // Who comes back after a day that lasts too long looks banned.
  rule(DAY_LIMITS, ['ban-only-after-continued'], 'found by a check'),
  rule(['ban-only-after-continued'], ['retry-after-honoured', 'limit-renews', 'ban-ends', ...BAD_BODIES]),
  rule(['ban-only-after-continued'], ['minute-limit-free'], 'effect never held'),
  rule(['limit-renews'], ['minute-limit-enterprise'], 'found by more checks'),
  // One operation and another, one key and another.
  rule(['limit-over-spellings'], [...COUNTING, ...KEYS_APART], 'operations counted apart'),
  rule(['limit-renews', 'remaining-falls'], KEYS_APART, 'fails more often'),
  rule(
    ['limit-renews'],
    [...MINUTE_LIMITS, ...DAY_LIMITS, 'limit-under-concurrency', 'limit-over-spellings'],
    'fails more often',
  ),
  rule(['keys-independent-at-limit'], ['keys-independent-in-ban'], 'found by a check'),
  rule(['keys-independent-in-ban'], ['keys-independent-at-limit'], 'found by a check'),
  // Some key is nearly always at its limit or banned, so that of much else it seems to be the reason.
  rule([...COUNTING, 'ban-ends', 'ban-only-after-continued'], KEYS_APART, 'seen in passing'),
  rule([...COUNTING, 'ban-ends'], COUNTING, 'found by a check alone'),
  rule(KEYS_APART, [...COUNTING, 'ban-ends', 'ban-only-after-continued']),
  rule(['keys-independent-at-limit'], ['keys-independent-in-ban']),
  // What a limit counts: its number, what escapes it, when it starts again.
  rule(['limit-under-concurrency', ...MINUTE_LIMITS], ['limit-over-spellings'], 'same exchanges'),
  rule(
    [...MINUTE_LIMITS, 'limit-under-concurrency', 'limit-renews'],
    ['limit-over-spellings'],
    'not form by form',
  ),
  rule(['limit-over-spellings'], COUNTING, 'not on the list'),
  rule(MINUTE_LIMITS, COUNTING, 'alone'),
  rule(['limit-under-concurrency'], COUNTING, 'same exchanges'),
  rule(['limit-renews'], ['limit-under-concurrency', ...MINUTE_LIMITS], 'same exchanges'),
  rule(['remaining-counts-operations'], ['remaining-falls']),
  rule(['limit-under-concurrency'], COUNTING, 'never held'),
  rule(MINUTE_LIMITS, ['limit-under-concurrency'], 'never held'),
  rule(['minute-limit-free', 'minute-limit-enterprise'], ['limit-under-concurrency']),
  rule(['limit-under-concurrency'], MINUTE_LIMITS),
  ...inOrder(MINUTE_LIMITS),
  ...inOrder(DAY_LIMITS),
  rule(MINUTE_LIMITS, COUNTING),
  rule(['limit-under-concurrency'], COUNTING),
  rule(DAY_LIMITS, ['limit-renews'], 'same exchanges'),
  rule(['limit-renews'], [...DAY_LIMITS, 'retry-after-honoured', 'ban-ends']),
  rule(DAY_LIMITS, ['remaining-falls', 'retry-after-honoured']),
  rule(['retry-after-honoured'], ['ban-ends']),
  // Bodies and fields that are not there.
  rule(['update-succeeds'], ERROR, 'found by a check alone'),
  rule(['content-type-json', 'readable-json'], ERROR, 'same exchanges'),
  ...inOrder(ERROR, 'same exchanges'),
  ...inOrder(HEADERS, 'same exchanges'),
  rule(HEADERS, [
    'remaining-in-range',
    'limit-of-plan',
    'reset-is-near',
    'remaining-falls',
    'remaining-counts-operations',
  ]),
  rule(['remaining-in-range'], ['remaining-falls', 'remaining-counts-operations']),
  // Which pet an update reaches, and what a refused one does.
  rule(['refused-changes-nothing'], ['update-touches-one-entry'], 'found by more checks'),
  rule(['update-persists'], ['refused-changes-nothing'], 'fails more often'),
  rule(['update-persists'], ['refused-changes-nothing'], 'found by a check alone'),
  rule(['refused-changes-nothing'], ['update-touches-one-entry', 'list-complete'], 'found by a check alone'),
  rule(['update-touches-one-entry', 'update-persists'], ['list-complete'], 'exchange in common'),
  rule(['update-touches-one-entry'], ['list-complete'], 'always fails'),
  rule(['update-unknown-pet', 'update-exact-pet'], ['update-succeeds'], 'found by a check alone'),
  rule(['update-unknown-pet'], STORED, 'always fails'),
  rule(['update-unknown-pet'], ['update-exact-pet'], 'same exchanges'),
  rule(['update-unknown-pet'], ['update-exact-pet'], 'same checks'),
  rule(['update-exact-pet'], ['item-pet-id'], 'part of it'),
  rule(['update-exact-pet'], ['update-persists', 'update-succeeds'], 'another pet changed'),
  rule(['update-persists', 'update-succeeds'], ['update-exact-pet'], 'part of it'),
  rule(['item-pet-id'], ['update-exact-pet'], 'same exchanges'),
  rule(['item-pet-id'], ['update-exact-pet'], 'found by the same checks'),
  rule(['update-exact-pet'], ITEM, 'same exchanges'),
  rule(BAD_BODIES, [...ITEM, 'update-succeeds', 'update-persists'], 'same checks'),
  rule(['update-exact-pet'], ['update-touches-one-entry'], 'seen once'),
  rule(['update-exact-pet'], ['update-touches-one-entry'], 'found by the same checks'),
  rule(['update-touches-one-entry'], ['update-exact-pet', 'update-succeeds', ...BAD_BODIES]),
  rule(['update-touches-one-entry'], ['refused-changes-nothing']),
  rule(
    ['refused-changes-nothing'],
    [...BAD_BODIES, ...STORED, ...LISTED, 'update-unknown-pet', 'update-succeeds'],
  ),
  rule(
    ['update-exact-pet'],
    ['update-unknown-pet', 'update-succeeds', 'update-sets', 'update-persists', ...BAD_BODIES, ...DAY_LIMITS],
  ),
  rule(['update-malformed-body'], ['update-missing-quantity']),
  // The list, and what is read from it.
  rule(['update-touches-one-entry', 'update-persists'], ['list-complete'], 'after updates'),
  rule(LISTED, STORED),
  rule(['update-persists'], ['update-sets'], 'seen once'),
  rule(['update-sets'], ['update-succeeds', 'update-persists']),
  rule(['update-succeeds'], [...STORED, ...BAD_BODIES, 'update-unknown-pet']),
  rule(ITEM, [...LISTED, ...STORED, 'update-succeeds']),
  rule(['list-succeeds'], [...LISTED, ...ITEM, ...STORED, 'update-succeeds']),
  rule(
    ['valid-key-accepted'],
    [
      ...COUNTING,
      ...ITEM,
      ...ERROR,
      ...LISTED,
      ...STORED,
      'ban-only-after-continued',
      'update-succeeds',
      'list-succeeds',
    ],
  ),
];

function rule(
  causes: readonly RequirementId[],
  effects: readonly RequirementId[],
  when?: CauseEvidence,
): CauseRule {
  return {
    causes: new Set<string>(causes),
    effects: new Set<string>(effects),
    ...(when === undefined ? {} : { when }),
  };
}

/** Of requirements of one kind, the first explains the others. */
function inOrder(ids: readonly RequirementId[], when?: CauseEvidence): readonly CauseRule[] {
  return ids.slice(0, -1).map((id, index) => rule([id], ids.slice(index + 1), when));
}
