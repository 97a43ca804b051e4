import { describe, expect, test } from 'vitest';

import { KNOWN_FAULTS, PREFLIGHT, type KnownFault } from '../cli/library/verify/power.ts';
import { PLAN_LIMITS } from '../contract/plans.ts';
import { AREAS, findRequirement, REQUIREMENTS } from '../contract/requirements/index.ts';
import { type Profile, PROFILES } from '../contract/verdict.ts';
import { FAULTS, LOAD_FAULTS } from '../reference-server/index.ts';
import { CHECKS } from '../suites/verify/index.ts';
import { pageText } from './pages.test-data.ts';

interface Row extends KnownFault {
  readonly id: string;
  readonly title: string;
}

type IsOfKind = (row: Row) => boolean;

const ROWS: readonly Row[] = FAULTS.flatMap(({ id, title }) => {
  const known = KNOWN_FAULTS[id];
  return known === undefined ? [] : [{ id, title, ...known }];
});
const NEED_CONTROL = ROWS.filter(({ withoutControl }) => withoutControl.length === 0);
const SHOWN_WITHOUT = ROWS.filter(({ withoutControl }) => withoutControl.length > 0);

const named =
  (...words: readonly string[]): IsOfKind =>
  ({ id }) =>
    id.split('-').some((word) => words.includes(word));
const breaking =
  (...requirements: readonly string[]): IsOfKind =>
  ({ breaks }) =>
    requirements.some((requirement) => breaks.startsWith(requirement));
const ofAreas =
  (...areas: readonly string[]): IsOfKind =>
  ({ breaks }) =>
    areas.includes(findRequirement(breaks)?.area ?? '');
const either =
  (...kinds: readonly IsOfKind[]): IsOfKind =>
  (row) =>
    kinds.some((isOfKind) => isOfKind(row));

const FREE_MINUTE = PLAN_LIMITS.free.perMinute;

/** The kinds of the page that show only with a control URL; a fault is of the first that it fits. */
const CONTROL_KINDS: ReadonlyMap<string, IsOfKind> = new Map([
  ['Days', either(named('day', 'days'), breaking('day-limit'))],
  ['Revoking', named('revoked')],
  ['Moments of the clock', named('midnight', '1970')],
  ['Bans', either(named('ban', 'banned'), ofAreas('ban'), breaking('keys-independent-in-ban'))],
  ['Inventories', ofAreas('list', 'update')],
  ['Keys beside each other', breaking('keys-independent')],
  [
    'New keys and agreed limits',
    either(named('issued'), breaking('valid-key', 'limit-of-plan', 'header-limit')),
  ],
  ['Separate counters', breaking('limit-over-spellings', 'limit-under-concurrency')],
  ['Ends of minutes and waits', ofAreas('limits', 'retry', 'headers', 'errors')],
]);

/** The kind of a fault that needs a control URL; its id if it is of none. */
function kindOf(row: Row): string {
  return [...CONTROL_KINDS].find(([, isOfKind]) => isOfKind(row))?.[0] ?? row.id;
}

/** What a check needs beside one Free key: the words of the page. */
function needOf(id: string): string {
  const needs = CHECKS.find((check) => check.id === id)?.needs;
  const keys = (needs?.keys ?? []).filter(({ optional }) => optional !== true);
  const plans = keys.flatMap(({ plan }) => (['any', 'free'].includes(plan) ? [] : [plan]));
  if (needs?.revokedKey === true) {
    return 'A revoked key';
  }
  if (plans[0] !== undefined) {
    return `Keys of plan ${plans[0]}`;
  }
  if (keys.length > 1) {
    return 'A second key';
  }
  // A number that depends on the limits fits into any.
  const isLarge = keys.some(({ requests }) => typeof requests === 'number' && requests >= FREE_MINUTE);
  return isLarge ? 'A key of a larger plan than Free' : '';
}

/** The least that a check needs which shows the fault. */
function needsOf({ withoutControl }: Row): string {
  const needs = new Set(withoutControl.map(needOf));
  const [need = '', other] = needs;
  if (other === undefined || needs.has('')) {
    return needs.has('') ? '' : need;
  }
  if (needs.has('A second key')) {
    return 'A second key';
  }
  return needs.values().every((one) => one.startsWith('Keys of plan'))
    ? 'A key of a larger plan than Free'
    : [...needs].toSorted().join(' or ');
}

/** The most careful profile in which something is known to show a fault without a control URL. */
function profileOf({ withoutControl }: Row): Profile {
  const ranks = withoutControl.map((id) =>
    id === PREFLIGHT ? 0 : PROFILES.indexOf(CHECKS.find((check) => check.id === id)?.needs.profile ?? 'full'),
  );
  return PROFILES[Math.min(...ranks)] ?? 'full';
}

const PAGE = pageText('docs/blind-spots.md');

/** The cells of the rows of the table under a heading. */
function tableOf(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '').match(/^\|.*\|$/gm) ?? [];
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function countBy(rows: readonly Row[], keyOf: (row: Row) => string): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(rows, keyOf)].map(([key, own]) => [key, own.length]));
}

/** How many faults of an area, or of all, a run can show without a control URL in that profile. */
function reached(area: string | null, most: Profile): number {
  return rowsOf(area).filter(
    (row) => row.withoutControl.length > 0 && PROFILES.indexOf(profileOf(row)) <= PROFILES.indexOf(most),
  ).length;
}

/** The cells of an area, or of all of them. */
function rowOf(area: string | null): readonly string[] {
  const counts = [...PROFILES.map((profile) => reached(area, profile)), rowsOf(area).length];
  return [area ?? 'all', ...counts.map(String)];
}

function rowsOf(area: string | null): readonly Row[] {
  return area === null ? ROWS : ROWS.filter(ofAreas(area));
}

describe('what stockcheck does not see', () => {
  test('what is known to show a fault without a control URL runs without one', () => {
    const needControl = new Set(
      CHECKS.filter(({ needs }) => (needs.control ?? []).length > 0).map(({ id }) => id),
    );
    const unshown = SHOWN_WITHOUT.filter(({ withoutControl }) =>
      withoutControl.every((id) => needControl.has(id)),
    );
    expect(unshown.map(({ id }) => id)).toEqual([]);
  });

  test('each fault that needs a control URL is of a kind, and the page counts them', () => {
    const counts = countBy(NEED_CONTROL, kindOf);
    const table = tableOf('Without a control URL');
    expect(new Map(table.map(([kind = '', count]) => [kind, Number(count)]))).toEqual(counts);
    // The example is one of the kind.
    const strays = table.filter(
      ([kind, , example]) => !NEED_CONTROL.some((row) => row.title === example && kindOf(row) === kind),
    );
    expect(strays).toEqual([]);
  });

  test('the page counts what several keys show', () => {
    const counts = countBy(
      SHOWN_WITHOUT.filter((row) => needsOf(row) !== ''),
      needsOf,
    );
    const table = tableOf('With a single Free key');
    expect(new Map(table.map(([need = '', count]) => [need, Number(count)]))).toEqual(counts);
  });

  test('the page counts what each profile shows', () => {
    const known = AREAS.filter((area) => ROWS.some(ofAreas(area)));
    expect(tableOf('In a more careful profile')).toEqual([...known, null].map(rowOf));
  });

  test('the page says how many faults there are, and what nothing judges', () => {
    const unjudged = REQUIREMENTS.filter(({ notChecked }) => notChecked !== undefined);
    const phrases = [
      `${FAULTS.length} known faults`,
      `${NEED_CONTROL.length} of them`,
      `${LOAD_FAULTS.length} load faults`,
      `${unjudged.length} rows of the`,
      ...unjudged.map(({ id }) => `\`${id}\``),
    ];
    expect(phrases.filter((phrase) => !PAGE.replaceAll(/\s+/g, ' ').includes(phrase))).toEqual([]);
  });
});
