import type { RequirementId } from './index.ts';
import { DAY_LIMITS, MINUTE_LIMITS } from './limits.ts';

/** What has to be seen of two failures before one is taken to explain the other. */
export type CauseEvidence =
  /** Every exchange that showed the effect showed the cause as well. */
  | 'same exchanges'
  /** One exchange showed both, and the effect was violated less often. */
  | 'part of it'
  /** The effect was seen by no checks but those that saw the cause. */
  | 'same checks'
  /** None of the other causes that the rule names failed. */
  | 'alone'
  /** The effect was seen neither on the plain list nor on a plain update. */
  | 'other requests'
  /** Every finding of the effect is an error status, neither 401 nor 429, that a finding of the cause is as well. */
  | 'same status'
  /** The same, and the cause was violated in a much larger share of what was judged. */
  | 'same status, more often'
  /** Every finding of the effect says what one of the cause says, such as that a request got no response. */
  | 'same words'
  /** The cause was violated in a much larger share of what was judged. */
  | 'fails more often'
  /** The cause was violated many times as often. */
  | 'seen more often'
  /** The cause was violated whenever it was judged. */
  | 'always fails';

/** If one of the causes fails, so do the effects. */
export interface CauseRule {
  readonly causes: ReadonlySet<string>;
  readonly effects: ReadonlySet<string>;
  readonly when?: CauseEvidence;
}

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
  rule(['ban-answer'], HEADERS, 'same checks'),
  rule(['ban-answer'], ANSWERED, 'same status'),
  rule(
    ['refusal-is-429'],
    ['list-succeeds', 'update-succeeds', 'no-server-error'],
    'same status, more often',
  ),
  rule(['ban-answer'], ['refusal-is-429', 'no-server-error']),
  rule(HEADERS, ['ban-answer']),
  // Limits: of what explains the most, the rest follows.
  ...inOrder(MINUTE_LIMITS),
  ...inOrder(DAY_LIMITS),
  ...inOrder(KEYS_APART),
  rule([...COUNTING, ...KEYS_APART], [...COUNTING, ...KEYS_APART, 'ban-ends'], 'seen more often'),
  rule(KEYS_APART, [...COUNTING, 'ban-ends', 'ban-only-after-continued']),
  rule([...MINUTE_LIMITS, 'limit-over-spellings', 'limit-under-concurrency'], DAY_LIMITS),
  rule(MINUTE_LIMITS, COUNTING, 'alone'),
  // Bodies and fields that are not there.
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
  rule(['update-persists'], ['refused-changes-nothing'], 'fails more often'),
  rule(['update-touches-one-entry'], ['list-complete'], 'always fails'),
  rule(['update-unknown-pet'], ['update-exact-pet'], 'same exchanges'),
  rule(['update-exact-pet'], ['item-pet-id'], 'part of it'),
  rule(['update-touches-one-entry'], ['refused-changes-nothing']),
  rule(
    ['refused-changes-nothing'],
    [...BAD_BODIES, ...STORED, ...LISTED, 'update-unknown-pet', 'update-succeeds'],
  ),
  rule(
    ['update-exact-pet'],
    ['update-unknown-pet', 'update-succeeds', 'update-sets', 'update-persists', ...BAD_BODIES],
  ),
  rule(['update-malformed-body'], ['update-missing-quantity']),
  // The list, and what is read from it.
  rule(LISTED, STORED),
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
