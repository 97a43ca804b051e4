import type { ClientJudge, Say } from '../records/record.ts';
import { completion } from './completion.ts';
import { error } from './error.ts';
import { result } from './result.ts';
import { waits } from './waits.ts';

const ID = 'client-reads-any-json';

/** What a client does wrong after a 429 whose content is JSON but no object, whichever judge sees it. */
export const anyJson: ClientJudge = {
  id: 'any-json',
  title: 'The client gets over a 429 whose content is JSON but no object',
  judges: [ID],
  judge: (record, say) => {
    if (!record.scenario.judges.includes(ID)) {
      return;
    }
    const failures: Parameters<Say['fail']>[] = [];
    let passes = 0;
    for (const { judge } of [completion, error, result, waits]) {
      judge(record, {
        pass: () => {
          passes += 1;
        },
        fail: (...told) => failures.push(told),
        inconclusive: () => undefined,
        skip: () => undefined,
        observe: () => undefined,
      });
    }
    const [first] = failures;
    if (first !== undefined) {
      const [, ...told] = first;
      say.fail(ID, ...told);
    } else if (passes > 0) {
      say.pass(ID);
    }
  },
};
