import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJsonObject, objectMember, parseJson, type JsonObject } from '../../../contract/json/index.ts';
import { changeAt, isObject, placesIn } from '../../../reports/model/places.test-data.ts';
import { altered, isNoticed, opened, safeCertificate, sealedAgain } from './certificate.test-data.ts';

const matrixOf = (statement: JsonObject) => objectMember(objectMember(statement, 'predicate'), 'killMatrix');

test('a change of one value in the statement is noticed even if the signer signs it', async () => {
  const certificate = await safeCertificate();
  const whole = opened(certificate);
  const { statement } = whole;
  const places = placesIn(statement).filter(({ value }) => !isObject(value) && !Array.isArray(value));
  const resealed = JSON.stringify(opened(sealedAgain(whole)).statement);
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.nat(), ({ path }, how) => {
      const changed = parseJson(JSON.stringify(changeAt(statement, path, (one) => altered(one, how))));
      // Who names another matrix names another build, and that is said.
      fc.pre(
        isJsonObject(changed) &&
          JSON.stringify(changed) !== JSON.stringify(statement) &&
          JSON.stringify(matrixOf(changed)) === JSON.stringify(matrixOf(statement)),
      );
      const { envelope } = sealedAgain({ ...whole, statement: isJsonObject(changed) ? changed : statement });
      // What is signed again gets the digest that the transcript has.
      fc.pre(JSON.stringify(opened({ ...certificate, envelope }).statement) !== resealed);
      expect(isNoticed({ ...certificate, envelope })).toBe(true);
    }),
    { numRuns: 15 },
  );
});
