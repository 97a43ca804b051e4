import { expect, test } from 'vitest';

import { AREAS, requirement, type Area } from '../../../contract/requirements/index.ts';
import { type Fault, FAULTS } from '../../../reference-server/index.ts';
import { judgeTrial } from './judge-trial.ts';

const NEVER = new AbortController().signal;

/** Missed by a selection once: by checks that it left out, or by requests that only other checks had announced. */
const MISSED_ONCE = FAULTS.filter(({ id }) =>
  [
    'query-unlimited',
    'day-of-an-hour',
    'list-lacks-entry-once-in-ten',
    'remaining-ignores-orders',
    'ban-for-bad-requests',
  ].includes(id),
);

/** Those, and the fault in the middle of each other area. */
function sample(): readonly Fault[] {
  const seen = new Set<Area>(MISSED_ONCE.map(areaOf));
  const others = AREAS.filter((area) => !seen.has(area)).flatMap((area) => {
    const faults = FAULTS.filter((fault) => areaOf(fault) === area);
    return faults.slice(Math.floor(faults.length / 2)).slice(0, 1);
  });
  return [...MISSED_ONCE, ...others];
}

function areaOf({ breaks }: Fault): Area {
  return requirement(breaks).area;
}

test.each(sample().map((fault) => [fault.id, fault] as const))(
  '%s is caught with --only the requirement that it breaks',
  async (_id, fault) => {
    const result = await judgeTrial(
      { variants: [], fault },
      {
        profile: null,
        onlyOwn: true,
        bail: false,
        by: ['checks'],
        realTimeKeys: null,
        exploration: { requests: 1, seed: 1 },
      },
      NEVER,
    );
    expect(result).toMatchObject({ outcome: 'caught', undeclared: [] });
    // Nothing else was selected; a should is not among the musts that failed.
    const isMust = requirement(fault.breaks).level === 'must';
    expect(result.failed.map(({ id }) => id)).toEqual(isMust ? [fault.breaks] : []);
  },
);

test('what was missed once is still seeded', () => {
  expect(MISSED_ONCE).toHaveLength(5);
});
