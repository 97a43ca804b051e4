import type { TrailExpectation } from '../../contract/trail.ts';
import { JUDGES } from './shell-judges.ts';
import { JSON_FUNCTIONS } from './shell-reading.ts';
import { quote } from './shell-words.ts';

/** The functions that tell whether the answers are as expected. */
export function judgeOf(expectation: TrailExpectation | null): readonly string[] {
  if (expectation === null) {
    return [];
  }
  const isOfJson = expectation.expect === 'form' || expectation.expect === 'pet';
  return [...(isOfJson ? ['', JSON_FUNCTIONS] : []), '', JUDGES[expectation.expect]];
}

const UNBOUNDED = 999_999_999;

function noneOfCall({
  answer,
  noneOf,
  refused,
}: Extract<TrailExpectation, { readonly noneOf: readonly string[] }>): string {
  const call = `expect_none_of ${quote(noneOf.join(' '))} ${answer}-${answer}`;
  return refused === undefined ? call : `after_refusal ${refused} ${call}`;
}

/** The call of one of them, whose exit code tells. */
export function expectationCall(expectation: TrailExpectation): string {
  switch (expectation.expect) {
    case 'response':
      return `expect_response ${expectation.answer}`;
    case 'status':
      return 'oneOf' in expectation
        ? `expect_one_of ${quote(expectation.oneOf.join(' '))} ${rowWords(expectation.answers)}`
        : noneOfCall(expectation);
    case 'field': {
      const { answer, name, matches, isOptional, statuses } = expectation;
      const need = isOptional === true ? 'optional' : 'needed';
      return ['expect_field', answer ?? 'every', name, quote(matches), need, ...statuses].join(' ');
    }
    case 'number':
      return `expect_number ${expectation.answer} ${expectation.name} ${expectation.least} ${expectation.most}`;
    case 'granted': {
      const { least = 0, most = UNBOUNDED, within = UNBOUNDED, isOneWindow = false, answers } = expectation;
      return `expect_granted ${least} ${most} ${within} ${isOneWindow ? 'one' : 'any'} ${rowWords(answers)}`;
    }
    case 'limited':
      return `expect_limited ${expectation.most} ${rowWords(expectation.answers)}`;
    case 'fall':
      return `expect_fall ${expectation.from} ${expectation.to} ${expectation.most}`;
    case 'different remaining':
      return `expect_different ${rowWords(expectation.answers)}`;
    case 'near reset':
      return `expect_near_reset ${expectation.answer} ${quote(expectation.perDay === null ? '' : String(expectation.perDay))}`;
    case 'form':
      return `expect_form ${quote(expectation.form)}`;
    case 'pet': {
      const {
        answer,
        petId,
        isThere,
        quantities = [],
        status = '',
        granted = [],
        refused = [],
      } = expectation;
      const presence = isThere ? 'there' : 'absent';
      const wanted = [quantities.join(' '), status, rowWords(granted), rowWords(refused)].map(quote);
      return `expect_pet ${answer} ${quote(petId)} ${presence} ${wanted.join(' ')}`;
    }
  }
}

function rowWords(rows: readonly (readonly [number, number])[]): string {
  return rows.map(([from, to]) => `${from}-${to}`).join(' ');
}
