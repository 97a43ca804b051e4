import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';

import { isJsonObject, objectMember } from '../../../contract/json/index.ts';
import type { SignedCertificate } from './attest.ts';
import {
  altered,
  isNoticed,
  leavesOf,
  opened,
  packed,
  replacedAt,
  safeCertificate,
  sealedAgain,
  type OpenedCertificate,
} from './certificate.test-data.ts';

let certificate: SignedCertificate;
let whole: OpenedCertificate;
let places: ReturnType<typeof leavesOf>;

beforeAll(async () => {
  certificate = await safeCertificate();
  whole = opened(certificate);
  places = leavesOf(whole.statement);
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
      // Who names another matrix names another build, and that is said.
      fc.pre(JSON.stringify(matrixOf(changed.statement)) === JSON.stringify(matrixOf(statement)));
      const { envelope } = sealedAgain(changed);
      const untouched = JSON.stringify(opened({ ...certificate, envelope }).statement);
      // What is signed again gets the digest that the transcript has.
      fc.pre(untouched !== JSON.stringify(opened(sealedAgain(whole)).statement));
      expect(isNoticed({ ...certificate, envelope })).toBe(true);
    }),
    { numRuns: 15 },
  );
});

const matrixOf = (statement: OpenedCertificate['statement']) =>
  objectMember(objectMember(statement, 'predicate'), 'killMatrix');
