import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Finding } from '../../../contract/verdict.ts';
import { collectJudgements, type Judgements } from './judgements.ts';

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

function sighting(path: string, number: number): Finding {
  const request = { method: 'GET', url: `http://target.test/v1${path}`, headers: [], body: null };
  const exchange = { request, response: null, sentAt: '2026-11-27T12:00:00.000Z', durationMilliseconds: 1 };
  return { message: `${path}, ${number}`, exchange };
}

const SIGHTINGS = ['/inventory', '/inventory/?x=1'].map((path) =>
  Array.from({ length: 8 }, (_, number) => sighting(path, number)),
);

test('of many sightings the plain ones are kept before the odd ones, and of those that are alike the first', () => {
  const anyOrder = fc.shuffledSubarray(SIGHTINGS.flat(), { minLength: 1 });
  fc.assert(
    fc.property(anyOrder, (order) => {
      const judgements = collectJudgements();
      order.forEach((finding) => judgements.fail('check', 'list-succeeds', finding));
      const simplest = SIGHTINGS.flatMap((alike) => order.filter((one) => alike.includes(one))).slice(0, 3);
      expect(judgements.judgementOf('list-succeeds').findings).toEqual(simplest);
    }),
  );
});

test('of those that are spelled alike, the one that rests on the fewest responses comes first', () => {
  const judgements = collectJudgements();
  const several = { ...sighting('/inventory', 1), restsOn: 2 };
  const one = { ...sighting('/inventory', 2), restsOn: 1 };
  [several, one].forEach((finding) => judgements.fail('monitor', 'list-succeeds', finding));
  const { findings } = judgements.judgementOf('list-succeeds');
  expect(findings).toEqual([sighting('/inventory', 2), sighting('/inventory', 1)]);
});

test('more evidence is wanted until enough of it is plain, or none is likely to be', () => {
  const judgements = collectJudgements();
  const offer = (finding: Finding): boolean => {
    judgements.fail('check', 'list-succeeds', finding);
    return judgements.isFull('list-succeeds');
  };
  const odd = Array.from({ length: 39 }, (_, number) => offer(sighting('//inventory', number)));
  expect(new Set(odd)).toEqual(new Set([false]));
  expect(offer(sighting('//inventory', 40))).toBe(true);
  const others = collectJudgements();
  SIGHTINGS.flat()
    .slice(0, 5)
    .forEach((finding) => others.fail('check', 'list-succeeds', finding));
  expect(others.isFull('list-succeeds')).toBe(true);
});

const beyond = (...ids: readonly RequirementId[]): Finding => {
  const explanations = ids.map((id) => ({ id, message: `It breaks ${id}.` }));
  return { message: explanations[0]?.message ?? '', explanations };
};
const judge = (...failures: readonly Finding[]): Judgements => {
  const judgements = collectJudgements();
  for (const finding of failures) {
    judgements.fail('limits', finding.explanations?.[0]?.id ?? 'limit-renews', finding);
  }
  return judgements;
};

describe('a violation that several requirements explain', () => {
  test('breaks the one that explains the others as well, and says so in its words', () => {
    const judgements = judge(
      beyond('minute-limit-free', 'limit-over-spellings'),
      beyond('minute-limit-pro', 'limit-over-spellings'),
      beyond('minute-limit-business', 'limit-over-spellings'),
    );
    const { outcome, findings, tallies } = judgements.judgementOf('limit-over-spellings');
    expect(outcome).toBe('fail');
    expect(findings).toEqual([{ message: 'It breaks limit-over-spellings.' }]);
    expect(tallies).toEqual([{ by: 'limits', passed: 0, failed: 3 }]);
    expect(judgements.judgementOf('minute-limit-free').outcome).toBe('skipped');
  });

  test('breaks the one that was asked for, if that explains it', () => {
    const judgements = judge(beyond('minute-limit-free', 'limit-renews'));
    const asked = (id: RequirementId) => judgements.judgementOf(id, (other) => other === id).outcome;
    expect(judgements.judgementOf('limit-renews').outcome).toBe('skipped');
    expect(asked('limit-renews')).toBe('fail');
    expect(asked('day-limit-free')).toBe('skipped');
  });

  test('does not break what was ruled out since', () => {
    let isRuledOut = false;
    const finding = beyond('limit-renews', 'limit-over-spellings');
    const [first, second] = finding.explanations ?? [];
    const judgements = judge({
      ...finding,
      explanations: [first, second].flatMap((one) =>
        one === undefined ? [] : [{ ...one, isRuledOut: () => isRuledOut && one === first }],
      ),
    });
    isRuledOut = true;
    expect(judgements.judgementOf('limit-renews').outcome).toBe('skipped');
    expect(judgements.judgementOf('limit-over-spellings').outcome).toBe('fail');
  });

  test('never turns a must into a should, nor a should into a must', () => {
    const judgements = judge(beyond('limit-renews', 'retry-after-plausible'));
    judgements.fail('limits', 'retry-after-plausible', { message: 'It asks for too much.' });
    expect(judgements.judgementOf('limit-renews').outcome).toBe('fail');
    const other = judge(beyond('retry-after-plausible', 'limit-renews'));
    other.fail('limits', 'limit-renews', { message: 'It does not end.' });
    expect(other.judgementOf('retry-after-plausible').outcome).toBe('fail');
  });
});

test('what only a 429 shows says so if none was seen', () => {
  const { outcome, reason } = collectJudgements().judgementOf('retry-after-present');
  expect({ outcome, reason }).toEqual({ outcome: 'skipped', reason: expect.stringContaining('429') });
});
