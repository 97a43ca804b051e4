import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, test } from 'vitest';

import { stringifyJson } from '../../../contract/json/index.ts';
import { SEED_KEYS } from '../../../fixtures/corpora/index.ts';
import type { SignedCertificate } from './attest.ts';
import {
  byVersion,
  checked,
  opened,
  safeCertificate,
  sealedAgain,
  type OpenedCertificate,
} from './certificate.test-data.ts';
import { killMatrixDescriptor, onChecksAlone } from './check-certificate.ts';
import { digestOf } from './digests.ts';

let certificate: SignedCertificate;
let whole: OpenedCertificate;

beforeAll(async () => {
  certificate = await safeCertificate();
  whole = opened(certificate);
});

test('a certificate holds, and says what is judged again and what is not', () => {
  const { state, reasons, certificate: attested, again } = checked(certificate);
  expect(reasons).toEqual([]);
  expect(state).toBe('holds');
  expect(attested?.report.verdict).toBe('conformant');
  expect(again?.requirements.map(({ id }) => id)).toContain('header-limit');
  expect(attested === null ? [] : onChecksAlone(attested)).not.toContain('header-limit');
});

test('no key is in it, and each has a pseudonym', () => {
  const text = stringifyJson([whole.statement, ...whole.lines]);
  expect(SEED_KEYS.filter(({ key }) => text.includes(key))).toEqual([]);
  expect(text).not.toMatch(/(?:free|pro|business|enterprise)-[\w-]{24}/);
  const keys = whole.lines.filter((line) => line['do'] === 'key');
  expect(keys.length).toBeGreaterThan(0);
  expect(new Set(keys.map((line) => line['pseudonym'])).size).toBe(
    new Set(keys.map((line) => line['key'])).size,
  );
});

test('the hash of the kill matrix is that of its file', () => {
  const ofServers = readFileSync(new URL('../verify/known-faults.json', import.meta.url));
  expect(killMatrixDescriptor('verify').digest).toEqual(digestOf(ofServers));
  const ofClients = readFileSync(new URL('../certify/known-client-faults.json', import.meta.url));
  expect(killMatrixDescriptor('certify').digest).toEqual(digestOf(ofClients));
});

describe('another version', () => {
  test('that is older is checked by its own words', () => {
    const { state, reasons } = checked(sealedAgain(byVersion('0.0.9', whole)));
    expect(reasons).toEqual([]);
    expect(state).toBe('holds');
  });

  test('that is newer may judge what is not known here', () => {
    const { state, reasons } = checked(sealedAgain(byVersion('9.0.0', whole)));
    expect(state).toBe('open');
    expect(reasons).toEqual([
      expect.stringContaining('was made by stockcheck 9.0.0, which is newer than this'),
    ]);
  });

  test('may write another form, which is told from what is no certificate', () => {
    const { statement } = whole;
    const of = (predicateType: string) =>
      sealedAgain({ ...whole, statement: { ...statement, predicateType } });
    const later = checked(of('https://github.com/stockcheck/stockcheck/certificate/v2'));
    expect(later.state).toBe('open');
    expect(later.reasons).toEqual([expect.stringContaining('a later version of stockcheck')]);
    expect(() => checked(of('https://slsa.dev/provenance/v1'))).toThrow('no verdict of stockcheck');
  });
});
