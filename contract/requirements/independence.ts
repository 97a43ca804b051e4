import type { RequirementRow } from './row.ts';

/** That a key stays what it is while another is at its limit or banned. */
export const KEYS_APART = ['keys-independent-at-limit', 'keys-independent-in-ban'] as const;

export const INDEPENDENCE_ROWS = [
  {
    id: 'keys-independent-at-limit',
    clause: 'Limits, Rate limits by plan',
    level: 'must',
    statement: 'A key at its limit does not affect any other key.',
    quotes: ['| Plan | Requests per minute | Requests per day |'],
    dependsOn: ['limit-of-plan', 'keys-independent-in-ban'],
  },
  {
    id: 'keys-independent-in-ban',
    clause: 'Limits, Behaviour at the limit 3',
    level: 'must',
    statement: 'A banned key does not affect any other key.',
    quotes: ['Continued requests after a 429 may cause a temporary ban of the API key.'],
    dependsOn: ['keys-independent-at-limit'],
    unseen: 'No key was banned while another one was used; a target need not ban any.',
  },
] as const satisfies readonly RequirementRow[];
