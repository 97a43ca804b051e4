import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { RequirementSet } from '../../contract/requirements/index.ts';
import { createRedactor } from '../../suites/target/index.ts';
import {
  findBaseAddress,
  judgeRecordings,
  noteNothingToJudge,
  readHar,
  readHarLines,
} from '../../suites/watch/index.ts';
import type { TrafficTarget } from '../shared/configuration/configuration.ts';
import { readJson, readTextFile } from '../shared/files/json-file.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import type { Baseline } from '../library/verify/baseline.ts';
import type { OutputOptions } from '../shared/output/text-output.ts';
import { buildHistoryReport, readHistory, buildTrafficReport } from './traffic-report.ts';

export interface HarOptions extends OutputOptions, TrafficTarget {
  /** Files of recorded traffic. */
  readonly har: readonly string[];
  readonly exclusive: boolean;
  readonly level: 'must' | 'should';
  readonly requirements: RequirementSet;
  readonly baseline: Baseline;
  readonly report: string | null;
}

// No request can have gone there.
const NOWHERE = 'http://service.invalid/v1';

/** Judges recorded traffic, or a history of an earlier run; nothing is sent. @returns the exit code */
export async function judgeHar(options: HarOptions): Promise<number> {
  const startedAt = new Date();
  const started = performance.now();
  const { level, requirements: requirementSet, baseline } = options;
  const judging = () => ({
    level,
    requirementSet,
    baseline,
    startedAt,
    durationSeconds: (performance.now() - started) / 1000,
  });
  const [file] = options.har;
  const history = file === undefined ? null : readHistory(file, `--har ${file}`);
  if (history !== null) {
    refuseBesideHistory(options);
    return finishRun(buildHistoryReport(history, judging()), options, {});
  }
  const redactor = createRedactor();
  const recordings = options.har.map(readRecording);
  const traffic = recordings.flatMap(({ exchanges }) => exchanges);
  const base = options.base ?? findBaseAddress(traffic);
  const { keys, exclusive: isExclusive } = options;
  const findings = judgeRecordings(recordings, { base: base ?? NOWHERE, keys, redactor, isExclusive });
  const unreadable = recordings
    .flatMap((recording) => recording.unreadable)
    .find(({ url }) => url === null || base === null || url.startsWith(base));
  const report = buildTrafficReport(findings, {
    ...judging(),
    base: base ?? 'unknown',
    keys,
    isExclusive,
    unseen: { notSampled: 0, overload: 0 },
    problems: [unreadable?.problem ?? null, noteNothingToJudge(traffic, base)].filter((one) => one !== null),
  });
  return finishRun(report, options, { redact: redactor.redact });
}

/** @throws {ConfigurationError} if something is given that a history tells itself, or another recording */
function refuseBesideHistory({ har: [file, other], base, keys, exclusive }: HarOptions): void {
  const [rival] = [
    ...(base === null ? [] : ['TARGET']),
    ...(keys.length === 0 ? [] : ['--key']),
    ...(exclusive ? ['--exclusive'] : []),
    ...(other === undefined ? [] : [`--har ${other}`]),
  ];
  if (rival !== undefined) {
    throw new ConfigurationError(
      `${rival} has no place beside --har ${file}: that is a history of stockcheck, which tells its target and its keys, and is judged by itself`,
    );
  }
}

function readRecording(path: string) {
  const named = `--har ${path}`;
  const text = readTextFile(path, named);
  return /\.(?:ndjson|jsonl)$/i.test(path)
    ? readHarLines(text, named)
    : // A whole archive may hold more than is read of an answer.
      readHar(
        readJson(text, named, (archive) => JSON.parse(archive)),
        named,
      );
}
