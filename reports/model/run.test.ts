import { expect, test } from 'vitest';
import { powerOfRequirementText, powerText, subjectText } from './run.ts';
import { SAMPLE_CERTIFY_REPORT } from './sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT } from './sample-load-report.test-data.ts';
import { SAMPLE_REPORT } from './sample-report.test-data.ts';

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

const POWER = {
  known: 5,
  withinReach: 3,
  byArea: [
    { area: 'limits', known: 3, withinReach: 1 },
    { area: 'ban', known: 2, withinReach: 2 },
  ],
};

test.each([
  ['verify', 'known faults'],
  ['load', 'known faults that show only under load'],
  ['certify', 'known faults of clients'],
] as const)('of %s names what could have been caught, and where the rest is', (kind, what) => {
  expect(powerText(POWER, kind)).toBe(
    `This run could have caught 3 of 5 ${what}; out of its reach: 2 in limits`,
  );
});

test('names requirements in place of areas if it is of a client', () => {
  const byRequirement = [
    { requirement: 'client-waits', known: 4, withinReach: 2 },
    { requirement: 'client-operation', known: 1, withinReach: 1 },
  ];
  expect(powerText({ ...POWER, byRequirement }, 'certify')).toContain('out of its reach: 2 of client-waits');
  expect(powerText({ ...POWER, byRequirement }, 'verify')).toContain('out of its reach: 2 in limits');
});

test('names no rest if there is none, or nothing else', () => {
  const whole = { known: 2, withinReach: 2, byArea: [{ area: 'ban', known: 2, withinReach: 2 }] };
  const none = { known: 2, withinReach: 0, byArea: [{ area: 'ban', known: 2, withinReach: 0 }] };
  expect(powerText(whole, 'certify')).toBe('This run could have caught 2 of 2 known faults of clients');
  expect(powerText(none, 'certify')).toBe('This run could have caught 0 of 2 known faults of clients');
  expect(powerText(none, 'load')).toMatch(/^This run only measured: the 2 known faults /);
});

test.each([
  [{ known: 1, withinReach: 1 }, 'This run could have caught the known fault that breaks it'],
  [{ known: 3, withinReach: 3 }, 'This run could have caught all of the 3 known faults that break it'],
  [
    { known: 13, withinReach: 8, needControl: 4 },
    'This run could have caught 8 of the 13 known faults that break it; 4 more take a control URL; 1 more takes further checks',
  ],
])('of one requirement says what the rest takes: %o', (counts, text) => {
  expect(powerOfRequirementText({ requirement: 'limit-renews', ...counts })).toBe(text);
});
