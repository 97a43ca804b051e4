import { expect, test } from 'vitest';
import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT } from '../model/sample-load-report.test-data.ts';
import { SAMPLE_REPORT } from '../model/sample-report.test-data.ts';
import { effortText, subjectText } from './subject-text.ts';

test('a target goes by its address, a client by its command line', () => {
  expect(subjectText(SAMPLE_REPORT)).toBe('http://127.0.0.1:8080/v1');
  expect(subjectText(SAMPLE_LOAD_REPORT)).toBe(SAMPLE_LOAD_REPORT.target.url);
  expect(subjectText({ ...SAMPLE_REPORT, target: { ...SAMPLE_REPORT.target, embedded: true } })).toBe(
    'http://127.0.0.1:8080/v1 (embedded reference server)',
  );
  expect(subjectText(SAMPLE_CERTIFY_REPORT)).toBe(String.raw`node client.js --name 'Anna'\''s client'`);
  const command = ['sh', '-c', 'curl $URL', ''];
  expect(subjectText({ ...SAMPLE_CERTIFY_REPORT, target: { command, driver: 'exec' } })).toBe(
    `sh -c 'curl $URL' ''`,
  );
  expect(subjectText({ ...SAMPLE_CERTIFY_REPORT, target: { command: [], driver: 'none' } })).toBe(
    'a client that was not started',
  );
});

test('the effort is counted', () => {
  const [one] = SAMPLE_CERTIFY_REPORT.scenarios;
  const scenarios = one === undefined ? [] : [one];
  expect(effortText(SAMPLE_REPORT)).toBe('798 requests in 97.3 s');
  expect(effortText({ ...SAMPLE_CERTIFY_REPORT, scenarios, durationSeconds: 1 })).toBe(
    '1 request in 1 scenario, 1.0 s',
  );
  expect(effortText({ ...SAMPLE_LOAD_REPORT, budget: { announced: 9, spent: 7 } })).toBe(
    '7 requests in 7 scenarios, 881.6 s',
  );
});
