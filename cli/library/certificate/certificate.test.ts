import { readFileSync } from 'node:fs';

import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { isJsonObject, stringifyJson } from '../../../contract/json/index.ts';
import { SEED_KEYS } from '../../../fixtures/corpora/index.ts';
import type { SignedCertificate } from './attest.ts';
import {
  altered,
  byVersion,
  checked,
  isNoticed,
  leavesOf,
  opened,
  packed,
  replacedAt,
  safeCertificate,
  sealedAgain,
  type OpenedCertificate,
} from './certificate.test-data.ts';
import { digestOf, killMatrixDescriptor } from './kill-matrix.ts';
import { onChecksAlone } from './on-checks-alone.ts';

let certificate: SignedCertificate;
let whole: OpenedCertificate;
let places: ReturnType<typeof leavesOf>;

beforeAll(async () => {
  certificate = await safeCertificate();
  whole = opened(certificate);
  places = leavesOf(whole.statement);
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
  const file = readFileSync(new URL('../verify/known-faults.json', import.meta.url));
  expect(killMatrixDescriptor().digest).toEqual(digestOf(file));
});

const choice = fc.tuple(fc.nat(), fc.nat(), fc.nat());

/** The certificate with one value changed: in the statement, or in a line of the transcript. */
function changedAt(part: 'statement' | 'transcript', [line, leaf, how]: readonly [number, number, number]) {
  const change = (
    value: OpenedCertificate['statement'],
    leaves = leavesOf(value),
  ): OpenedCertificate['statement'] => {
    const changed = replacedAt(value, leaves[leaf % leaves.length] ?? [], (one) => altered(one, how));
    return isJsonObject(changed) ? changed : value;
  };
  if (part === 'statement') {
    return { ...whole, statement: change(whole.statement, places) };
  }
  const at = line % whole.lines.length;
  return { ...whole, lines: whole.lines.map((one, index) => (index === at ? change(one) : one)) };
}

/** The certificate with that change, and the signature that it had. */
function withoutSigning({ statement, lines }: OpenedCertificate, part: 'statement' | 'transcript') {
  const payload = Buffer.from(JSON.stringify(statement)).toString('base64');
  return part === 'transcript'
    ? { ...certificate, transcript: packed(lines) }
    : { ...certificate, envelope: JSON.stringify({ ...JSON.parse(certificate.envelope), payload }) };
}

test('500 changes of one value, half of them in the statement, are all noticed by signature and hash', () => {
  fc.assert(
    fc.property(fc.constantFrom('statement', 'transcript'), choice, (part, place) => {
      expect(isNoticed(withoutSigning(changedAt(part, place), part))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a change of one value in the statement is noticed even if the signer signs it', () => {
  const { statement } = whole;
  fc.assert(
    fc.property(choice, (place) => {
      const changed = changedAt('statement', place);
      fc.pre(JSON.stringify(changed.statement) !== JSON.stringify(statement));
      const { envelope } = sealedAgain(changed);
      const untouched = JSON.stringify(opened({ ...certificate, envelope }).statement);
      // What is signed again gets the digest that the transcript has.
      fc.pre(untouched !== JSON.stringify(opened(sealedAgain(whole)).statement));
      expect(isNoticed({ ...certificate, envelope })).toBe(true);
    }),
    { numRuns: 15 },
  );
});

test('most changes of one value in the transcript are noticed even if the signer signs them', () => {
  let noticed = 0;
  const sampled = fc.sample(choice, { numRuns: 30, seed: 7 });
  for (const place of sampled) {
    noticed += isNoticed(sealedAgain(changedAt('transcript', place))) ? 1 : 0;
  }
  expect(noticed).toBeGreaterThan(sampled.length * 0.9);
});

describe('another version', () => {
  test('that is older is checked by its own words', () => {
    const { state, reasons } = checked(sealedAgain(byVersion('0.0.9', whole), { sums: true }));
    expect(reasons).toEqual([]);
    expect(state).toBe('holds');
  });

  test('that is newer may judge what is not known here', () => {
    const { state, reasons } = checked(sealedAgain(byVersion('9.0.0', whole), { sums: true }));
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
