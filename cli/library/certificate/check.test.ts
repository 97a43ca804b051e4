import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { checkCertificate } from './check-certificate.ts';

const directory = join(import.meta.dirname, '..', '..', 'check-certificate', 'earlier');
const certificate = readFileSync(join(directory, 'certificate.json'), 'utf8');
const publicKey = readFileSync(join(directory, 'signer.pem.pub'), 'utf8');
const transcript = readFileSync(join(directory, 'certificate.transcript.jsonl.gz'));

test('a certificate holds, with what it attests', () => {
  const checked = checkCertificate(certificate, { publicKey, transcript });
  expect(checked).toMatchObject({ state: 'holds', reasons: [] });
  expect(checked.certificate?.report).toMatchObject({ kind: 'verify', verdict: 'conformant' });
});

test('without its transcript it is open, and with another it fails', () => {
  expect(checkCertificate(certificate, { publicKey }).state).toBe('open');
  const other = Buffer.concat([transcript, Buffer.from([0])]);
  expect(checkCertificate(certificate, { publicKey, transcript: other }).state).toBe('fails');
});

test.each([
  ['no key', () => checkCertificate(certificate, { publicKey: 'none' }), 'checkCertificate(): publicKey'],
  ['no certificate', () => checkCertificate('[]', { publicKey }), 'this is no certificate of stockcheck'],
])('%s is said', (_what, check, message) => {
  expect(check).toThrow(ConfigurationError);
  expect(check).toThrow(message);
});
