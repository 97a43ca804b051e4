import { expect, test } from 'vitest';

import { KNOWN_FAULTS } from '../cli/library/verify/power.ts';
import { REQUIREMENTS } from '../contract/requirements/index.ts';
import { FAULTS } from '../reference-server/index.ts';
import { CHECKS } from '../suites/verify/index.ts';
import { pageText } from './pages.test-data.ts';

const PAGE = pageText('docs/blind-spots.md');

test('what is known to show a fault without a control URL runs without one', () => {
  const needControl = new Set(
    CHECKS.filter(({ needs }) => (needs.control ?? []).length > 0).map(({ id }) => id),
  );
  const unshown = Object.entries(KNOWN_FAULTS).filter(
    ([, { withoutControl }]) =>
      withoutControl.length > 0 && withoutControl.every((check) => needControl.has(check)),
  );
  expect(unshown).toEqual([]);
});

test('the examples of what takes a control URL are faults that do', () => {
  const needControl = FAULTS.filter(({ id }) => KNOWN_FAULTS[id]?.withoutControl.length === 0);
  const titles = new Set(needControl.map(({ title }) => title));
  const examples = [...PAGE.matchAll(/^\|[^|]*\| (?<example>[^|]*?) +\|[^|]*\|$/gm)].map(
    ({ groups }) => groups?.['example'] ?? '',
  );
  expect(examples.length).toBeGreaterThan(5);
  expect(examples.slice(2).filter((example) => !titles.has(example))).toEqual([]);
});

test('the page says what nothing judges', () => {
  const unjudged = REQUIREMENTS.filter(({ notChecked }) => notChecked !== undefined);
  const phrases = [`${unjudged.length} rows of the`, ...unjudged.map(({ id }) => `\`${id}\``)];
  expect(phrases.filter((phrase) => !PAGE.includes(phrase))).toEqual([]);
});
