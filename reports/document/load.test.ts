import { describe, expect, test } from 'vitest';
import { SAMPLE_LOAD_REPORT } from '../model/sample-load-report.test-data.ts';
import { renderPage } from '../html/page.ts';
import { runDocument } from './run.ts';
import { attributeValues } from '../html/structure.test-data.ts';

const page = await renderPage(runDocument(SAMPLE_LOAD_REPORT));

/** The part of the page on that scenario. */
function partOf(id: string): string {
  const start = page.indexOf(`id="scenario-${id}"`);
  const end = page.indexOf('</section>', start);
  return start === -1 ? '' : page.slice(start, end);
}

/** Titles of the plots of that scenario. */
function titles(id: string): readonly (string | undefined)[] {
  return [...partOf(id).matchAll(/<h4 id="[^"]*">([^<]*)<\/h4>/g)].map(([, title]) => title);
}

describe('the HTML page on a target under load', () => {
  test('links to scenarios and requirements', () => {
    expect(attributeValues(page, 'href')).toEqual(
      expect.arrayContaining(['#scenario-latency', '#requirement-limit-under-concurrency']),
    );
  });

  test('has of each scenario its outcome, parameters and thresholds', () => {
    for (const { id, outcome } of SAMPLE_LOAD_REPORT.scenarios) {
      expect(page).toContain(`<section class="load ${outcome}" id="scenario-${id}">`);
    }
    const latency = partOf('latency');
    expect(latency).toContain('<dd>9 reads to 1 write</dd>');
    expect(latency).toMatch(
      /<code>p99 &lt; 10 ms<\/code><\/th>\s*<td class="text">45\.7 ms<\/td>\s*<td class="text">\s*<span class="badge fail">✗ crossed<\/span>/,
    );
    expect(latency).toContain('500/s due, 500/s sent, 500/s answered 2xx');
    expect(latency).toContain('<code>PATCH /inventory/{petId}</code>');
    expect(partOf('fairness')).toContain('The target has no control URL');
    expect(partOf('soak')).toContain('p99 grew by 3.1 %');
  });

  test('draws what was measured, each plot with its words', () => {
    const measured = [
      'Response time over time',
      'Response time by percentile',
      'Rate due and answered',
      'Answers by class of status',
    ];
    expect(titles('latency')).toEqual(measured);
    expect(titles('capacity')).toEqual(['Response time (p99) by rate', ...measured]);
    expect(titles('throughput')).toHaveLength(3 * measured.length);
    expect(page.match(/<svg[^>]* role="img"/g)).toHaveLength(page.match(/<figcaption id=/g)?.length ?? 0);
  });

  test('has the figures of the plots in tables', () => {
    expect(partOf('throughput')).toContain('<summary>Second by second</summary>');
    expect(partOf('soak')).toContain('<summary>In steps of 7 s</summary>');
    expect(partOf('capacity')).toContain('<summary>8 rates tried</summary>');
    expect(partOf('limit-accuracy')).toContain('<summary>5 windows</summary>');
  });

  test('shows a violation with its exchange', () => {
    const limits = partOf('limit-accuracy');
    expect(limits).toContain('Violations of the specification (1)');
    expect(limits).toContain('free#2 was granted 64 requests');
    expect(limits).toContain('X-RateLimit-Remaining: 0');
    expect(page).toContain('Failed (1)');
  });

  test('lists the requirements that were judged, and folds the others', () => {
    for (const { id, outcome } of SAMPLE_LOAD_REPORT.requirements) {
      expect(page.includes(`id="requirement-${id}"`)).toBe(outcome !== 'skipped');
    }
    const skipped = SAMPLE_LOAD_REPORT.requirements.filter(({ outcome }) => outcome === 'skipped').length;
    expect(page).toContain(`<summary>Requirements that were not judged under load (${skipped})`);
  });
});
