import { expect, test } from 'vitest';

import { collectJudgements } from '../oracle/index.ts';
import { CHECKS } from '../stimuli/index.ts';
import { noteLeftOut } from './left-out.ts';

const shows = CHECKS.filter(({ judges }) => judges.includes('update-unknown-pet'));

test.each([
  ['nothing', [], ': give keys that nobody else uses, or a control URL.'],
  ['lost answers', ['answers got lost'], ', since answers got lost meanwhile.'],
] as const)(
  'what a check provoked and left open is not put down to one left out: %s',
  (_what, disturbances, end) => {
    const [ran, ...others] = shows;
    const judgements = collectJudgements();
    noteLeftOut(
      { config: { profile: 'full', control: null }, judgements, disturbances },
      {
        leftOut: others.map((check) => ({ check, reason: 'It needs a control URL.' })),
        cutOff: new Set(),
        summaries:
          ran === undefined
            ? []
            : [{ check: ran, outcome: 'done', durationSeconds: 1, requests: 9, problem: null }],
      },
    );
    const { outcome, reason } = judgements.judgementOf('update-unknown-pet');
    expect(outcome).toBe('skipped');
    expect(reason).toBe(
      `A check provoked it, and a server that breaks it could have answered the same${end}`,
    );
  },
);
