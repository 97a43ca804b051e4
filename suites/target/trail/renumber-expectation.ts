import type { AnswerRow, TrailExpectation } from '../../../contract/trail.ts';

/** The same expectation of answers that have other numbers. @param to the number for one from 1 */
export function renumberExpectation(
  expectation: TrailExpectation,
  to: (number: number) => number,
): TrailExpectation {
  const rows = (before: readonly AnswerRow[]): readonly AnswerRow[] =>
    rowsOf(before.flatMap(numbersIn).map(to));
  switch (expectation.expect) {
    case 'response':
    case 'number':
    case 'near reset':
      return { ...expectation, answer: to(expectation.answer) };
    case 'field': {
      const { answer } = expectation;
      return { ...expectation, answer: answer === null ? null : to(answer) };
    }
    case 'status': {
      if ('oneOf' in expectation) {
        return { ...expectation, answers: rows(expectation.answers) };
      }
      const { refused } = expectation;
      return {
        ...expectation,
        answer: to(expectation.answer),
        ...(refused === undefined ? {} : { refused: to(refused) }),
      };
    }
    case 'granted':
    case 'limited':
    case 'different remaining':
      return { ...expectation, answers: rows(expectation.answers) };
    case 'fall':
      return { ...expectation, from: to(expectation.from), to: to(expectation.to) };
    case 'pet': {
      const { answer, granted } = expectation;
      return {
        ...expectation,
        answer: to(answer),
        ...(granted === undefined ? {} : { granted: rows(granted) }),
      };
    }
    case 'form':
      return expectation;
  }
}

function numbersIn([from, to]: AnswerRow): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** Numbers that follow one another are a row. */
function rowsOf(numbers: readonly number[]): readonly AnswerRow[] {
  const rows: [number, number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = rows.at(-1);
    if (last !== undefined && number === last[1] + 1) {
      last[1] = number;
    } else {
      rows.push([number, number]);
    }
  }
  return rows;
}
