import { describe, expect, test } from 'vitest';
import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import { renderPage } from '../html/page.ts';
import { runDocument } from './run.ts';
import { attributeValues } from '../html/structure.test-data.ts';

const page = await renderPage(runDocument(SAMPLE_CERTIFY_REPORT));

describe('the HTML page on a client', () => {
  test('says verdict, scope, command, driver and how many scenarios had which outcome', async () => {
    expect(page).toContain('<h1>Not certified</h1>');
    expect(page).toContain(SAMPLE_CERTIFY_REPORT.scope);
    expect(page).toContain('node client.js --name &#39;Anna&#39;\\&#39;&#39;s client&#39;');
    expect(page).toContain('exec, one start per scenario');
    expect(page).toContain('14: 3 fail, 1 inconclusive, 1 skipped, 8 pass, 1 observed');
    expect(await renderPage(runDocument({ ...SAMPLE_CERTIFY_REPORT, verdict: 'certified' }))).toContain(
      '<h1>Certified</h1>',
    );
  });

  test('links each failure to its scenario', () => {
    expect(attributeValues(page, 'href')).toContain('#scenario-limited-date');
  });

  test('draws each scenario with requests, with a name and a description', () => {
    for (const { id, title, timeline, outcome } of SAMPLE_CERTIFY_REPORT.scenarios) {
      expect(page).toContain(`<article class="scenario ${outcome}" id="scenario-${id}">`);
      const name = `<title id="chart-${id}-title">Timeline: ${title}</title>`;
      expect(page.includes(name)).toBe(timeline.length > 0);
    }
    expect(page.match(/<svg[^>]* role="img"/g)).toHaveLength(
      SAMPLE_CERTIFY_REPORT.scenarios.filter(({ timeline }) => timeline.length > 0).length,
    );
    expect(page).toContain('3 requests in 0.98 s; 2 came too early;');
    expect(page.match(/No request arrived\./g)).toHaveLength(2);
    expect(page).toContain('▲ 1.980 s early');
    expect(page).toContain('and 14 more until 0.83 s');
  });

  test('is a page even if nothing was run', async () => {
    const empty = await renderPage(
      runDocument({
        ...SAMPLE_CERTIFY_REPORT,
        verdict: 'inconclusive',
        target: { command: [], driver: 'none' },
        scenarios: [],
      }),
    );
    expect(empty).toContain('<h1>Inconclusive</h1>');
    expect(empty).toContain('a client that was not started');
    expect(empty).not.toContain('Behaviour timeline');
  });
});
