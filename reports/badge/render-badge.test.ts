import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import type { Report } from '../model/report.ts';
import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT } from '../model/sample-load-report.test-data.ts';
import { SAMPLE_REPORT } from '../model/sample-report.test-data.ts';
import { renderBadge, renderEndpointBadge } from './render-badge.ts';

const VERDICTS: readonly (readonly [report: Report, title: string])[] = [
  [{ ...SAMPLE_REPORT, verdict: 'conformant', profile: 'full' }, 'stockcheck: conformant, profile full'],
  [
    { ...SAMPLE_REPORT, verdict: 'nonconformant', profile: 'safe' },
    'stockcheck: nonconformant, profile safe',
  ],
  [{ ...SAMPLE_CERTIFY_REPORT, verdict: 'certified' }, 'stockcheck: certified'],
  [{ ...SAMPLE_CERTIFY_REPORT, verdict: 'not-certified' }, 'stockcheck: not certified'],
  [{ ...SAMPLE_LOAD_REPORT, verdict: 'inconclusive' }, 'stockcheck: inconclusive under load'],
];

test.each(VERDICTS)('%#: the image has the verdict as its title, and as its text', (report, title) => {
  const svg = renderBadge(report);
  expect(XMLValidator.validate(svg)).toBe(true);
  const parsed = new XMLParser({ ignoreAttributes: false }).parse(svg);
  expect(parsed.svg.title['#text']).toBe(title);
  expect(parsed.svg['@_role']).toBe('img');
  expect(parsed.svg['@_aria-labelledby']).toBe(parsed.svg.title['@_id']);
  const [, texts] = parsed.svg.g;
  expect(texts.text.map((text: { '#text': string }) => text['#text']).join(': ')).toBe(title);
});

test.each(VERDICTS)('%#: the endpoint badge says the same', (report, title) => {
  const badge = JSON.parse(renderEndpointBadge(report));
  expect(`${badge.label}: ${badge.message}`).toBe(title);
  expect(badge).toMatchObject({ schemaVersion: 1, isError: /nonconformant|not certified/.test(title) });
  expect(badge.color).toMatch(/^[0-9a-f]{6}$/);
});
