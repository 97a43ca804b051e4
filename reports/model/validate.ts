import { isDeepStrictEqual } from 'node:util';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { KillMatrix } from './kill-matrix.ts';
import { matchesKillMatrix, matchesReport } from './report-validators.ts';
import type { Report } from './report.ts';
import { countOutcomes } from './requirement-groups.ts';

/** More than this many problems are counted, not listed. */
const LISTED = 20;

/**
 * The value as a report, if it matches `report.schema.json`, its counts are those of its requirements, and no
 * requirement or scenario occurs twice. @throws {Error} that lists what is wrong, each with its JSON pointer
 */
export function validateReport(value: unknown): Report {
  const matches = matchesReport();
  if (!matches(value)) {
    const errors = matches.errors ?? [];
    // A failed `then` is reported by its own errors too.
    throw invalid(errors.filter(({ keyword }) => keyword !== 'if').map(describe));
  }
  const problems: string[] = [];
  if (!isDeepStrictEqual({ ...value.counts }, countOutcomes(value.requirements))) {
    problems.push('/counts do not agree with the requirements');
  }
  problems.push(...repetitions('/requirements', value.requirements));
  if (value.kind !== 'verify') {
    problems.push(...repetitions('/scenarios', value.scenarios));
  }
  if (problems.length > 0) {
    throw invalid(problems);
  }
  return value;
}

/** The value as a kill matrix, if it matches `kill-matrix.schema.json`. @throws {Error} that lists what is wrong */
export function validateKillMatrix(value: unknown): KillMatrix {
  const matches = matchesKillMatrix();
  if (!matches(value)) {
    throw invalid((matches.errors ?? []).map(describe));
  }
  return value;
}

/** Reads a report back from JSON text. @throws {Error} that says what is wrong with it */
export function parseReport(text: string): Report {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error('Not a report of stockcheck: the text is not JSON', { cause: error });
  }
  return validateReport(value);
}

function repetitions(pointer: string, rows: readonly { readonly id: string }[]): readonly string[] {
  const seen = new Set<string>();
  return rows.flatMap(({ id }, index) => {
    const isRepeated = seen.has(id);
    seen.add(id);
    return isRepeated ? [`${pointer}/${index}/id occurs twice: ${JSON.stringify(id)}`] : [];
  });
}

function describe({ instancePath, message, params, keyword }: ErrorObject): string {
  const path = instancePath === '' ? '/' : instancePath;
  switch (keyword) {
    case 'additionalProperties':
      return `${path} has an unknown member ${JSON.stringify(params['additionalProperty'])}`;
    case 'unevaluatedProperties':
      return `${path} has an unknown member ${JSON.stringify(params['unevaluatedProperty'])}`;
    case 'enum':
      return `${path} must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'const':
      return `${path} must be ${JSON.stringify(params['allowedValue'])}`;
    default:
      return `${path} ${message ?? `violates ${keyword}`}`;
  }
}

function invalid(problems: readonly string[]): Error {
  const listed = problems.slice(0, LISTED).map((problem) => `  ${problem}`);
  const rest = problems.length > LISTED ? [`  and ${problems.length - LISTED} more`] : [];
  return new Error(['Not a valid report of stockcheck:', ...listed, ...rest].join('\n'));
}
