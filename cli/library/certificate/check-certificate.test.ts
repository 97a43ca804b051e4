import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
import { killMatrixDescriptor, onChecksAlone, checkCertificate } from './check-certificate.ts';
import { digestOf } from './digests.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';

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
  expect(attested === null || again === null ? [] : onChecksAlone(attested, again)).not.toContain(
    'header-limit',
  );
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

const directory = join(import.meta.dirname, '..', '..', 'check-certificate', 'earlier');
const earlier = readFileSync(join(directory, 'certificate.json'), 'utf8');
const publicKey = readFileSync(join(directory, 'signer.pem.pub'), 'utf8');
const transcript = readFileSync(join(directory, 'certificate.transcript.jsonl.gz'));

describe('for a program', () => {
  test('without its transcript it is open, and with another it fails', () => {
    expect(checkCertificate(earlier, { publicKey }).state).toBe('open');
    const other = Buffer.concat([transcript, Buffer.from([0])]);
    expect(checkCertificate(earlier, { publicKey, transcript: other }).state).toBe('fails');
  });

  test.each([
    ['no key', () => checkCertificate(earlier, { publicKey: 'none' }), 'checkCertificate(): publicKey'],
    ['no certificate', () => checkCertificate('[]', { publicKey }), 'this is no certificate of stockcheck'],
  ])('%s is said', (_what, check, message) => {
    expect(check).toThrow(ConfigurationError);
    expect(check).toThrow(message);
  });
});
