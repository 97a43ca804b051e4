import { expect, test } from 'vitest';
import { SAMPLE_STORM } from '../../model/sample-storm.test-data.ts';
import { renderStormHtml } from './storm.ts';

const page = await renderStormHtml(SAMPLE_STORM);

test('the page says what became of the storm, in tables and plots with captions', () => {
  expect(page).toContain('Beyond the capacity');
  expect(page.match(/<figure /g)).toHaveLength(5);
  for (const figure of [1, 2, 3, 4, 5]) {
    expect(page).toContain(`aria-describedby="storm-${figure}-caption"`);
  }
  expect(page).toContain('never: 75 % were served');
  expect(page).toContain('Policies of the server that were tried (2)');
});

test('what a file is called is no markup in the page', async () => {
  const [one, ...others] = SAMPLE_STORM.outcome.clients;
  const hostile = await renderStormHtml({
    ...SAMPLE_STORM,
    outcome: {
      ...SAMPLE_STORM.outcome,
      clients: one === undefined ? [] : [{ ...one, policy: '<img src=x onerror=alert(1)>' }, ...others],
    },
  });
  expect(hostile).not.toContain('<img');
});

test('what was measured is drawn beside what was predicted', async () => {
  const compared = await renderStormHtml(SAMPLE_STORM, SAMPLE_STORM.outcome);
  expect(compared).toContain('granted, measured');
  expect(compared).toContain('granted, predicted');
  expect(page).not.toContain('measured');
});
