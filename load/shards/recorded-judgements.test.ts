import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { RequirementId } from '../../contract/requirements/index.ts';
import { collectJudgements, type Judgements } from '../../suites/oracle/index.ts';
import { recordJudgements, replayJudgements, type RecordedJudgement } from './recorded-judgements.ts';

const IDS = ['header-limit', 'header-remaining', 'retry-after-format'] as const satisfies RequirementId[];

type Saying = (judgements: Judgements) => void;

const by = fc.constantFrom('one', 'two');
const id = fc.constantFrom(...IDS);
const message = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const saying: fc.Arbitrary<Saying> = fc.oneof(
  fc.tuple(by, id).map(
    ([by, id]): Saying =>
      (judgements) =>
        judgements.pass(by, id),
  ),
  fc.tuple(by, id, message).map(
    ([by, id, message]): Saying =>
      (judgements) =>
        judgements.fail(by, id, { message }),
  ),
  fc.tuple(by, id, message).map(
    ([by, id, message]): Saying =>
      (judgements) =>
        judgements.inconclusive(by, id, { message }),
  ),
  fc.tuple(by, id, message, fc.option(fc.constant('facet'), { nil: undefined })).map(
    ([by, id, value, facet]): Saying =>
      (judgements) =>
        judgements.observe(by, id, value, facet),
  ),
);

test('what a worker said is said again, with the same outcome, evidence and observations', () => {
  fc.assert(
    fc.property(fc.array(saying, { maxLength: 40 }), (sayings) => {
      const direct = collectJudgements();
      const noted = recordJudgements();
      for (const say of sayings) {
        say(direct);
        say(noted.judgements);
      }
      const received: RecordedJudgement[] = JSON.parse(JSON.stringify(noted.notes()));
      const again = collectJudgements();
      replayJudgements(received, again);
      for (const id of IDS) {
        const { findings, judgedBy, reason, tallies, ...told } = direct.judgementOf(id);
        const second = again.judgementOf(id);
        expect(second).toMatchObject(told);
        expect([...second.judgedBy].toSorted()).toEqual([...judgedBy].toSorted());
        expect(second.reason === null).toBe(reason === null);
        expect(second.findings.length > 0).toBe(findings.length > 0);
        // How often a failure was seen is told, whichever of them are kept.
        const inOrder = (rows: typeof tallies): typeof tallies =>
          rows.filter(({ passed, failed }) => passed + failed > 0).toSorted((a, b) => (a.by < b.by ? -1 : 1));
        expect(inOrder(second.tallies)).toEqual(inOrder(tallies));
      }
      expect(again.observations()).toEqual(direct.observations());
    }),
  );
});
