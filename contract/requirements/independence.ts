import type { RequirementRow } from './row.ts';

export const INDEPENDENCE_ROWS = [
  {
    id: 'keys-independent-at-limit',
    since: '1.0',
    clause: 'Limits, Rate limits by plan',
    level: 'must',
    statement: 'A key at its limit does not affect any other key.',
    quotes: ['| Plan | Requests per minute | Requests per day |'],
    dependsOn: ['limit-of-plan', 'keys-independent-in-ban'],
  },
  {
    id: 'keys-independent-in-ban',
    since: '1.0',
    clause: 'Limits, Behaviour at the limit 3',
    level: 'must',
    statement: 'A banned key does not affect any other key.',
    quotes: ['Continued requests after a 429 may cause a temporary ban of the API key.'],
    dependsOn: ['keys-independent-at-limit'],
  },
] as const satisfies readonly RequirementRow[];
