import { readFileSync } from 'node:fs';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { VerifyReport } from '../../reports/index.ts';
import { isPacked } from '../../suites/target/index.ts';
import { judgeHistory, type JudgedHistory } from '../library/verify/judge-history.ts';
import { buildTrafficReport, type TrafficReportOptions } from './traffic-report.ts';

const BEGINNING = '{"do":"begin"';

/**
 * Judges the history in a file again, if there is one in it.
 * @param named what messages call the file, such as `--har run.ndjson`
 * @returns `null` if the file holds something else, or cannot be read
 * @throws {ConfigurationError} that names the line which cannot be judged
 */
export function readHistory(path: string, named: string): JudgedHistory | null {
  const file = readIfPossible(path);
  if (file === null || !(isPacked(file) || file.toString('latin1', 0, BEGINNING.length) === BEGINNING)) {
    return null;
  }
  try {
    return judgeHistory(file);
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new ConfigurationError(`${named} cannot be judged again: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

function readIfPossible(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** The report on a history. */
export function buildHistoryReport(
  { target, keys, findings }: JudgedHistory,
  options: Pick<
    TrafficReportOptions,
    'level' | 'requirementSet' | 'baseline' | 'startedAt' | 'durationSeconds'
  >,
): VerifyReport {
  return buildTrafficReport(findings, {
    ...options,
    base: target,
    keys: keys.map(({ secret, label, plan, limits }) => ({ key: secret, label, plan, limits })),
    isExclusive: true,
    unseen: { notSampled: 0, overload: 0 },
    problems: [],
  });
}
