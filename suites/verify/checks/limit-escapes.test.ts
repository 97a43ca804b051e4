import { describe } from 'vitest';

import { testChecks } from './judge-scripted.test-data.ts';
import { limitOverForms, limitSurvivesRefusals } from './limit-escapes.ts';
import { rewriting } from './target-changes.test-data.ts';
import type { TargetChange } from './scripted-target.test-data.ts';

/** A request that is refused for its content begins a new window. */
const renewing: TargetChange = ({ reply: plain }) => {
  let refusals = 0;
  return {
    countedAs: ({ secret }) => `${secret} ${refusals}`,
    reply: (reply, call, client) => {
      refusals += Number(reply.status === 400 || reply.status === 404);
      return plain(reply, call, client);
    },
  };
};

describe('over forms', () => {
  testChecks(
    [limitOverForms],
    [
      [
        'limit-over-spellings',
        'a query string has a limit of its own',
        () => ({ countedAs: ({ secret }, { query }) => `${secret} ${query}` }),
      ],
      [
        'refusal-is-429',
        'it is 400 for updates',
        rewriting(
          ({ status }, { method }) => status === 429 && method === 'PATCH',
          () => ({ status: 400 }),
        ),
      ],
    ],
  );
});

describe('after refusals', () => {
  testChecks(
    [limitSurvivesRefusals],
    [
      ['minute-limit-free', 'a refused request renews it', renewing],
      ['minute-limit-enterprise', 'a refused request renews it', renewing],
    ],
  );
});
