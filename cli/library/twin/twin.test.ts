import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { VARIANTS } from '../../../reference-server/index.ts';
import type { ReportedRequirement } from '../../../reports/index.ts';
import { requirementWith } from '../../../reports/model/sample-report.test-data.ts';
import { KNOWN_VARIANTS, type Observations, twinOf } from './twin.ts';

const TOLD = VARIANTS.filter(({ id }) => Object.keys(KNOWN_VARIANTS.variants[id] ?? {}).length > 0);

/** What is observed of a server of these variants if each shows what it shows alone. */
function observed(ids: readonly string[]): Observations {
  const changes = ids.flatMap((id) => Object.entries(KNOWN_VARIANTS.variants[id] ?? {}));
  const gone = new Set(changes.flatMap(([name, value]) => (value === null ? [name] : [])));
  const values = Object.entries(KNOWN_VARIANTS.reference).concat(
    changes.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  return Object.fromEntries(values.filter(([name]) => !gone.has(name)));
}

describe('a twin', () => {
  test('of the reference is the reference', () => {
    const twin = twinOf({ observations: KNOWN_VARIANTS.reference, requirements: [] });
    expect(twin).toMatchObject({ variants: [], unlike: [], kept: [] });
    expect(twin.compared).toBe(Object.keys(KNOWN_VARIANTS.reference).length);
  });

  test.each(TOLD.map(({ id }) => [id]))('of %s shows the same', (id) => {
    const observations = observed([id]);
    const twin = twinOf({ observations, requirements: [] });
    expect(twin.unlike).toEqual([]);
    const shown = observed(twin.variants.map((variant) => variant.id));
    expect(shown).toMatchObject(observations);
  });

  test('takes one choice of each freedom, whatever is observed', () => {
    const some = fc.subarray([...TOLD]).map((variants) => observed(variants.map(({ id }) => id)));
    fc.assert(
      fc.property(some, (observations) => {
        const { variants } = twinOf({ observations, requirements: [] });
        expect(new Set(variants.map(({ freedom }) => freedom)).size).toBe(variants.length);
        for (const { id } of variants) {
          for (const [name, value] of Object.entries(KNOWN_VARIANTS.variants[id] ?? {})) {
            expect([value, undefined]).toContainEqual(observations[name]);
          }
        }
      }),
    );
  });
});

/** Rows of what nothing that was run could observe, and nobody said why. */
function unobserved(names: readonly string[]): readonly ReportedRequirement[] {
  return names.map((id) => requirementWith({ id, level: 'observe', outcome: 'skipped' }));
}

describe('what a whole run sought in vain', () => {
  const BAN = ['ban-length', 'ban-status', 'body-of-ban'];

  test('of a ban is no ban, and no odd Retry-After', () => {
    const { variants } = twinOf({ observations: observed(['no-ban']), requirements: unobserved(BAN) });
    expect(variants.map(({ id }) => id)).toEqual(['no-ban']);
  });

  test('is a variant that hides it', () => {
    const observations = observed(['no-deprecation-headers']);
    const { variants } = twinOf({ observations, requirements: unobserved(['extra-headers']) });
    expect(variants.map(({ id }) => id)).toEqual(['no-deprecation-headers']);
  });

  test('is said to be unlike if no variant hides it', () => {
    const { 'retry-after-format': format, ...observations } = KNOWN_VARIANTS.reference;
    expect(format).toBeDefined();
    const requirements = unobserved(['retry-after-format']);
    const unlike = [{ name: 'retry-after-format', seen: 'not seen' }];
    expect(twinOf({ observations, requirements })).toMatchObject({ variants: [], unlike });
    expect(twinOf({ observations, requirements: [] })).toMatchObject({ variants: [], unlike: [] });
  });
});

test('a body of 429 without a ban is that of a variant that also shows the body of a ban', () => {
  const observations = { ...observed(['no-ban']), 'body-of-429': 'text/html' };
  const { variants, unlike } = twinOf({ observations, requirements: unobserved([]) });
  expect(variants.map(({ id }) => id)).toContain('429-body-html');
  expect(unlike).toEqual([]);
});

test('a window that begins anew is told beside a ban that it does not hide', () => {
  const observations = {
    ...KNOWN_VARIANTS.reference,
    'early-return': 'Retry-After and X-RateLimit-Reset begin anew',
    'ban-status': 403,
  };
  const { variants, unlike } = twinOf({ observations, requirements: [] });
  expect(variants.map(({ id }) => id)).toEqual(['ban-by-403', 'window-renewed-by-refused']);
  expect(unlike).toEqual([]);
});

describe('what no variant has', () => {
  const reference = { window: 'fixed', 'ban-length': 'up to a minute' };
  const known = { reference, variants: { 'sliding-log': { window: 'sliding' } } };
  const requirements = [requirementWith({ id: 'list-complete', outcome: 'fail' })];

  test('is said to be unlike', () => {
    const observations = { window: 'leaking', 'ban-length': 'up to an hour' };
    expect(twinOf({ observations, requirements }, known)).toMatchObject({
      variants: [],
      unlike: [
        { name: 'window', seen: 'leaking' },
        { name: 'ban-length', seen: 'up to an hour' },
      ],
      kept: ['list-complete'],
    });
  });

  test('was not seen by a run that did not look', () => {
    const twin = twinOf({ observations: { window: 'sliding' }, requirements: [] }, known);
    expect(twin.variants.map(({ id }) => id)).toEqual(['sliding-log']);
    expect(twin.compared).toBe(1);
    expect(twin.untold).toContain('order of the list');
  });
});
