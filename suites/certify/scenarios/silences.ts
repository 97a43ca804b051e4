import { seedInventory } from '../../../fixtures/corpora/index.ts';
import { A_LIST } from './judged-by.ts';
import type { ClientTask, ClientScenario } from './scenario.ts';
import { answersFirst, limitedFor } from './scripts.ts';

const inventory = seedInventory({ size: 12, seed: 6 });
const task: ClientTask = { operation: 'listInventory' };

/** Of what the text is silent about; what a client does there is only observed. */
export const SILENCES: readonly ClientScenario[] = [
  {
    id: 'nothing-remains',
    title: 'A list whose answer says that no request remains',
    task,
    inventory,
    traits: ['nothing-remains'],
    judges: [...A_LIST, 'client-reports-result', 'client-paces-itself'],
    seconds: 1,
  },
  {
    id: 'redirect-to-another-host',
    title: 'A redirect to another host',
    task,
    inventory,
    script: () => ({ kind: 'redirected', status: 307 }),
    breaks: ['list-succeeds'],
    judges: ['client-keeps-key-from-others'],
    seconds: 1,
  },
  {
    id: 'limited-unreadable',
    title: 'A 429 whose Retry-After cannot be read',
    task,
    inventory,
    script: answersFirst(limitedFor(1, 'unreadable')),
    breaks: ['retry-after-valid'],
    judges: ['client-operation', 'client-sends-bearer', 'client-unreadable-retry-after'],
    seconds: 1,
  },
];
