import type { RequirementRow } from './row.ts';

const PLANS = 'Limits, Rate limits by plan';
const AT_LIMIT = 'Limits, Behaviour at the limit';

export const INDEPENDENCE_ROWS = [
  {
    id: 'keys-independent-at-limit',
    clause: PLANS,
    level: 'must',
    statement: 'A key at its limit leaves every other key untouched.',
  },
  {
    id: 'keys-independent-in-ban',
    clause: `${AT_LIMIT} 3`,
    level: 'must',
    statement: 'A banned key leaves every other key untouched.',
  },
] as const satisfies readonly RequirementRow[];
