import { expect, test } from 'vitest';

import { temporaryDirectory } from '../../run-binary.test-data.ts';
import { HAS_TERMINAL, startAtTerminal } from '../../terminal.test-data.ts';

const JUDGE = ['verify', '--self', '--profile', 'safe'];

test.runIf(HAS_TERMINAL).each([{ columns: 120 }, { columns: 20 }, { columns: 0 }])(
  'a run at a terminal of $columns columns shows how far it is, and ends',
  async ({ columns }) => {
    const session = startAtTerminal(JUDGE, temporaryDirectory(), {}, columns);
    expect(await session.ended).toBe(0);
    expect(session.screen()).toMatch(SPINNER);
  },
);

// Any frame of the dots before a line.
const SPINNER = /[\u2800-\u28FF] /;
