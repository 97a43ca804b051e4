import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Outcome } from '../../../contract/verdict.ts';
import { SAMPLE_CLIENTS } from '../../../fixtures/clients/index.ts';
import { CLIENT_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import type { CertifyReport } from '../../../reports/index.ts';
import { SCENARIOS } from '../../../suites/certify/index.ts';
import { requirementWith } from '../../../reports/model/sample-report.test-data.ts';
import { played } from '../../../reports/model/sample-scenarios.test-data.ts';
import { KNOWN_CLIENT_FAULTS, powerOverClients, TOGETHER } from './power.ts';

type Driver = CertifyReport['target']['driver'];

const SHOWN = {
  hammers: { breaks: 'client-waits', driver: 'any', shownBy: ['limited-seconds', 'limited-date'] },
  'exit-code-1': { breaks: 'client-completes', driver: 'exec', shownBy: ['list'] },
  'first-key': { breaks: 'client-sends-bearer', driver: 'jsonl', shownBy: ['list'] },
};

const scenarioRow = (id: string, outcome: Outcome) => played(id, id, 0, { outcome });

function powerWith(
  scenarios: Readonly<Record<string, Outcome>>,
  {
    driver = 'exec',
    undecided = [],
  }: { readonly driver?: Driver; readonly undecided?: readonly string[] } = {},
  faults: typeof KNOWN_CLIENT_FAULTS = SHOWN,
): number {
  const requirements = CLIENT_REQUIREMENTS.map(({ id }) =>
    requirementWith({ id, outcome: undecided.includes(id) ? 'skipped' : 'pass' }),
  );
  const rows = Object.entries(scenarios).map(([id, outcome]) => scenarioRow(id, outcome));
  return powerOverClients({ requirements, scenarios: rows, target: { driver } }, faults).withinReach;
}

describe('the known faults of clients', () => {
  test('are those of the sample clients; npm run known enters another', () => {
    const rows = Object.entries(KNOWN_CLIENT_FAULTS).map(([id, { breaks, driver }]) => [id, breaks, driver]);
    const faulty = SAMPLE_CLIENTS.filter(({ expected }) => expected === 'not-certified');
    expect(new Set(rows)).toEqual(new Set(faulty.map(({ id, breaks, met = 'any' }) => [id, breaks, met])));
  });

  test('are each shown by a scenario, or by all together', () => {
    const known = new Set([TOGETHER, ...SCENARIOS.map(({ id }) => id)]);
    const unknown = Object.entries(KNOWN_CLIENT_FAULTS).filter(
      ([, { shownBy }]) => shownBy.length === 0 || shownBy.some((scenario) => !known.has(scenario)),
    );
    expect(unknown).toEqual([]);
  });
});

describe('the power over clients', () => {
  test('counts a fault if its requirement was decided by a run with a scenario that shows it', () => {
    expect(powerWith({ list: 'pass', 'limited-date': 'pass' })).toBe(2);
    expect(powerWith({ list: 'fail' })).toBe(1);
    expect(powerWith({ update: 'pass' })).toBe(0);
  });

  test.each(['inconclusive', 'skipped'] as const)('counts nothing that was %s', (open) => {
    expect(powerWith({ list: 'pass', 'limited-date': open })).toBe(1);
    expect(powerWith({ list: 'pass' }, { undecided: ['client-completes'] })).toBe(0);
  });

  test.each([
    ['exec', 2],
    ['jsonl', 2],
    ['none', 1],
  ] as const)('counts with the driver %s what that driver meets', (driver, count) => {
    expect(powerWith({ list: 'pass', 'limited-date': 'pass' }, { driver })).toBe(count);
  });

  test('counts what only all scenarios show together only if all were played', () => {
    const habit = { habit: { breaks: 'client-waits', driver: 'any', shownBy: [TOGETHER] } };
    const all = Object.fromEntries(SCENARIOS.map(({ id }) => [id, 'pass' as const]));
    expect(powerWith(all, {}, habit)).toBe(1);
    expect(powerWith({ ...all, list: 'skipped' }, {}, habit)).toBe(0);
  });

  test('never grows if less was run, and adds up', () => {
    const ids = SCENARIOS.map(({ id }) => id);
    const requirements = CLIENT_REQUIREMENTS.map(({ id }) => requirementWith({ id }));
    fc.assert(
      fc.property(fc.subarray(ids), fc.constantFrom<Driver>('exec', 'jsonl', 'none'), (played, driver) => {
        const power = (scenarios: readonly string[]) =>
          powerOverClients({
            requirements,
            scenarios: scenarios.map((id) => scenarioRow(id, 'pass')),
            target: { driver },
          });
        const some = power(played);
        expect(some.withinReach).toBeLessThanOrEqual(power(ids).withinReach);
        expect(some.byRequirement?.reduce((sum, { withinReach }) => sum + withinReach, 0)).toBe(
          some.withinReach,
        );
        expect(some.byRequirement?.reduce((sum, { known }) => sum + known, 0)).toBe(some.known);
      }),
    );
  });
});
