import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import DraftFourAjv from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { validateStrict } from 'ctrf';
import { describe, expect, test } from 'vitest';
import { renderCtrf } from '../ctrf/render-ctrf.ts';
import { renderHar } from '../har/render-har.ts';
import { hostileOf } from '../model/sample-report.test-data.ts';
import { SAMPLES } from '../model/sample-load-report.test-data.ts';
import { renderSarif } from '../sarif/render-sarif.ts';

const HOSTILE = ['\u001b[2J\u0000 "><script>', '%zz http://[::1', 'https://evil.test/\ud800?a=%'].join(' ');

const REPORTS = SAMPLES.flatMap(([subject, sample]) => [
  [`a ${subject}`, sample] as const,
  [`a hostile ${subject}`, hostileOf(sample, HOSTILE)] as const,
]);

const require = createRequire(import.meta.url);

/** The schema of the OASIS standard, as a tool of its authors ships it. */
const matchesSarif = (() => {
  const ajv = new DraftFourAjv.default({ strict: false, unicodeRegExp: false });
  addFormats.default(ajv);
  const schema: object = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  return ajv.compile(schema);
})();

const matchesHar = (() => {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const schemas: Readonly<Record<string, object>> = require('har-schema');
  for (const schema of Object.values(schemas)) {
    ajv.addSchema({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
  }
  return ajv.compile({ $ref: 'har.json#' });
})();

/** What is wrong with the text; empty if it matches. */
function problemsOf(matches: ValidateFunction, text: string): readonly string[] {
  matches(JSON.parse(text));
  return (matches.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe.each(REPORTS)('the report of %s', (_subject, report) => {
  test('is SARIF 2.1.0 by its schema', () => {
    expect(problemsOf(matchesSarif, renderSarif(report))).toEqual([]);
  });

  test('has findings that are HAR 1.2 by its schema', () => {
    expect(problemsOf(matchesHar, renderHar(report))).toEqual([]);
  });
});

test.each(REPORTS.filter(([subject]) => subject.includes('hostile')))(
  'the report of %s is CTRF by its reference implementation',
  (_subject, report) => {
    const document: unknown = JSON.parse(renderCtrf(report));
    expect(() => validateStrict(document)).not.toThrow();
  },
);

test('the schemas refuse what is none of these formats', () => {
  expect(problemsOf(matchesSarif, '{"version":"2.1.0"}')).not.toEqual([]);
  expect(problemsOf(matchesHar, '{"log":{}}')).not.toEqual([]);
  expect(() => validateStrict({ reportFormat: 'CTRF' })).toThrow('results');
});
