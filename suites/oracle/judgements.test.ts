import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finding, FindingStep } from '../../contract/verdict.ts';
import { collectJudgements } from './judgements.ts';

test('counts every judgement, however few findings are kept', () => {
  const sayings = fc.array(fc.tuple(fc.constantFrom('monitor', 'check'), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(sayings, (said) => {
      const judgements = collectJudgements();
      for (const [index, [by, holds]] of said.entries()) {
        if (holds) {
          judgements.pass(by, 'header-limit');
        } else {
          judgements.fail(by, 'header-limit', { message: `Seen in response ${index}.` });
        }
      }
      const { tallies, evidence, findings } = judgements.judgementOf('header-limit');
      const count = (by: string, held: boolean): number =>
        said.filter(([who, holds]) => who === by && holds === held).length;
      expect(evidence).toBe(count('monitor', true) + count('check', true));
      for (const { by, passed, failed } of tallies) {
        expect([passed, failed]).toEqual([count(by, true), count(by, false)]);
      }
      // Each finding is one that was said: none stands for others that are not shown.
      expect(findings.every(({ message }) => message.startsWith('Seen in response'))).toBe(true);
    }),
  );
});

test('what is kept of many observed values does not depend on the order in which they were seen', () => {
  const values = fc.uniqueArray(fc.string({ maxLength: 4 }), { minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(
      values.chain((seen) =>
        fc.tuple(fc.constant(seen), fc.shuffledSubarray(seen, { minLength: seen.length })),
      ),
      ([seen, shuffled]) => {
        const [one, other] = [seen, shuffled].map((order) => {
          const judgements = collectJudgements();
          order.forEach((value) => judgements.observe('monitor', 'extra-headers', value));
          return judgements.observations();
        });
        expect(one).toEqual(other);
      },
    ),
  );
});

const step: FindingStep = {
  method: 'GET',
  url: 'http://target.test/v1/inventory',
  authorization: null,
  body: null,
  status: 200,
  headers: [],
  count: 1,
  atMilliseconds: 0,
};

function sighting(path: string, steps: number): Finding {
  const request = { method: 'GET', url: `http://target.test/v1${path}`, headers: [], body: null };
  const exchange = { request, response: null, sentAt: '2026-11-27T12:00:00.000Z', durationMilliseconds: 1 };
  return { message: `${path} after ${steps}`, exchange, steps: Array.from({ length: steps }, () => step) };
}

const SIGHTINGS = ['/inventory', '/inventory/?x=1'].flatMap((path) =>
  Array.from({ length: 8 }, (_, steps) => sighting(path, steps)),
);

test('of many sightings the simplest are kept, the simplest first, whichever came first', () => {
  const anyOrder = fc.shuffledSubarray(SIGHTINGS, { minLength: 1 });
  fc.assert(
    fc.property(anyOrder, (order) => {
      const judgements = collectJudgements();
      order.forEach((finding) => judgements.fail('check', 'list-succeeds', finding));
      const simplest = SIGHTINGS.filter((finding) => order.includes(finding)).slice(0, 3);
      expect(judgements.judgementOf('list-succeeds').findings).toEqual(simplest);
    }),
  );
});

test('more evidence is wanted until enough of it is plain, or none is likely to be', () => {
  const judgements = collectJudgements();
  const offer = (finding: Finding): boolean => {
    judgements.fail('check', 'list-succeeds', finding);
    return judgements.isFull('list-succeeds');
  };
  const odd = Array.from({ length: 39 }, (_, steps) => offer(sighting('//inventory', steps)));
  expect(new Set(odd)).toEqual(new Set([false]));
  expect(offer(sighting('//inventory', 40))).toBe(true);
  const others = collectJudgements();
  SIGHTINGS.slice(0, 5).forEach((finding) => others.fail('check', 'list-succeeds', finding));
  expect(others.isFull('list-succeeds')).toBe(true);
});
