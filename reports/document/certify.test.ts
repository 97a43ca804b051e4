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

  test('shows each scenario, and how much too early a request came', () => {
    const ids = SAMPLE_CERTIFY_REPORT.scenarios.map(({ id }) => `scenario-${id}`);
    expect(attributeValues(page, 'id')).toEqual(expect.arrayContaining(ids));
    expect(page.match(/No request arrived\./g)).toHaveLength(2);
    expect(page).toContain('<td class="text">1.980 s</td>');
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
    expect(empty).not.toContain('<h2>Scenarios</h2>');
  });
});
