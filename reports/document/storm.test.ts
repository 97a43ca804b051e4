import { describe, expect, test } from 'vitest';

import type { SimulationResult } from '../../contract/simulation-result.ts';
import { SAMPLE_STORM } from '../model/sample-storm.test-data.ts';
import { renderPage } from '../html/page.ts';
import { renderTerminal } from '../terminal/document.ts';
import { stormDocument } from './storm.ts';

describe('a storm in a terminal', () => {
  const text = renderTerminal(stormDocument(SAMPLE_STORM), false);

  test('says what was played, with the seed that gives the same storm', () => {
    expect(text).toMatch(/^ {2}Clients +1000 clients, each wants 15 requests;/m);
    expect(text).toMatch(/^ {2}Policy +90 % exact: waits exactly/m);
    expect(text).toMatch(/^ {2}Limits +10 a minute and 1000 a day; The windows begin at whole minutes/m);
    expect(text).toMatch(
      /^ {2}Service +1500\/s: 15 requests at once of 10 ms; a refusal costs 50 % of that; 500 may wait/m,
    );
    expect(text).toMatch(/^ {2}Seed +7$/m);
    expect(text).toContain('The capacity was searched for by capacity.');
  });

  test('says what became of it', () => {
    expect(text).toContain(
      '! 75 % of the clients served within 80 s; beyond the capacity after the first wave',
    );
    expect(text).toContain('170 of them were dropped or answered too late');
    expect(text).toMatch(/^ {2}All served after +never: 75 % were served$/m);
    expect(text).toMatch(/^ {2}Half, 90 %, 99 % after +63\.2 s, never, never$/m);
    expect(text).toMatch(/^ {2}Peak of what came back +420 in 100 ms at 61\.2 s, 2\.8 times the capacity$/m);
    expect(text).toMatch(/^ {2}Requests +18000 sent: 13500 granted, 4300 refused, 120 dropped/m);
  });

  test('has a bar for each stretch of time: full ones at the capacity, none where nothing was granted', () => {
    const bars = /^ {2}Goodput over time +\|(?<bars>[^|]*)\| 1500\/s at most, 80 s$/m.exec(text)?.groups?.[
      'bars'
    ];
    expect(bars).toMatch(/^██\S ?\s+█\S?\s+$/);
  });

  test('tells clients by policy', () => {
    expect(text).toMatch(/^ {2}ignores: .* 100 +50 % +never +45 +100 % +0 %$/m);
  });
});

/** The sample storm, in which the service kept within its capacity and nothing came back. */
function renderCalm(changes: Partial<SimulationResult['outcome']>) {
  const outcome = { ...SAMPLE_STORM.outcome, returningPeak: { requests: 0, atSeconds: 0 }, ...changes };
  return renderTerminal(stormDocument({ ...SAMPLE_STORM, holds: true, outcome }), false);
}

test('a storm in which nobody was told to wait', () => {
  const clients = SAMPLE_STORM.outcome.clients.slice(0, 1);
  const calm = renderCalm({ drainSeconds: 150, servedShare: 1, clients });
  expect(calm).toContain('✓ all clients served after 150 s (2.5 min); within the capacity');
  expect(calm).toContain('Nobody was told to wait, so nothing came back.');
  expect(calm).not.toContain('By policy');
});

test('a storm that nobody is served in is no success, and nobody is said not to have waited', () => {
  const text = renderCalm({ drainSeconds: null, servedShare: 0 });
  expect(text).toMatch(/^! 0 % of the clients served/m);
  expect(text).toMatch(/^Nothing came back within .*: the clients that are not served still wait/m);
});

test('the page says what became of the storm, in tables and plots with captions', async () => {
  const page = await renderPage(stormDocument(SAMPLE_STORM));
  expect(page.match(/<figure /g)).toHaveLength(5);
  for (const figure of [1, 2, 3, 4, 5]) {
    expect(page).toContain(`aria-describedby="storm-${figure}-caption"`);
  }
});
