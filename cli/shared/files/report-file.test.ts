import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { SAMPLE_REPORT } from '../../../reports/model/sample-report.test-data.ts';
import { readReportFile } from './report-file.ts';
import { temporaryDirectory } from '../../run-binary.test-data.ts';

test.each<[string, unknown]>([
  ['is no report of stockcheck: it is by stockcheck prove', { schemaVersion: 1, kind: 'prove' }],
  ['it is by stockcheck simulate, and a report is', { schemaVersion: 1, kind: 'simulate' }],
  [
    'it is by another version of stockcheck (schemaVersion 2)',
    { ...SAMPLE_REPORT, schemaVersion: 2, requirements: 'other' },
  ],
  ['is no report of stockcheck: a report is a JSON object', [SAMPLE_REPORT]],
  ['is no report of stockcheck: / must have required property', { target: 'http://h/v1' }],
  ['is empty', undefined],
])('a file that is no report is named: %s', (message, value) => {
  const path = join(temporaryDirectory(), 'file.json');
  writeFileSync(path, value === undefined ? ' \n' : JSON.stringify(value));
  expect(() => readReportFile(path, 'FILE')).toThrow(message);
});

test('a directory holds report.json', () => {
  const directory = temporaryDirectory();
  expect(() => readReportFile(directory, 'FOLDER')).toThrow('FOLDER: the directory holds no report.json');
  mkdirSync(join(directory, 'report'));
  writeFileSync(join(directory, 'report', 'report.json'), JSON.stringify(SAMPLE_REPORT));
  expect(readReportFile(join(directory, 'report'), 'FOLDER')).toEqual(SAMPLE_REPORT);
});

test('a device is not read, since it may never end', () => {
  expect(() => readReportFile('/dev/zero', 'FILE')).toThrow('FILE: this is a device, not a file');
});
