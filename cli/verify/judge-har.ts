import type { RequirementSet } from '../../contract/requirements/index.ts';
import { createRedactor } from '../../suites/target/index.ts';
import { findBaseAddress, judgeRecordings, readHar, readHarLines } from '../../suites/watch/index.ts';
import type { TrafficTarget } from '../shared/configuration/traffic-target.ts';
import { readTextFile } from '../shared/files/json-file.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import type { OutputOptions } from '../shared/output/text-output.ts';
import { readBaseline } from './baseline.ts';
import { buildTrafficReport } from './traffic-report.ts';

export interface HarOptions extends OutputOptions, TrafficTarget {
  /** Files of recorded traffic. */
  readonly har: readonly string[];
  readonly exclusive: boolean;
  readonly level: 'must' | 'should';
  readonly requirements: RequirementSet;
  readonly baseline: string | null;
  readonly report: string | null;
}

/** Judges recorded traffic; nothing is sent. @returns the exit code */
export async function judgeHar(options: HarOptions): Promise<number> {
  const startedAt = new Date();
  const started = performance.now();
  const baseline = options.baseline === null ? new Map() : readBaseline(options.baseline);
  const redactor = createRedactor();
  const recordings = options.har.map(readRecording);
  const base = options.base ?? findBaseAddress(recordings.flat());
  const { keys, level, requirements: requirementSet } = options;
  const findings = judgeRecordings(recordings, { base, keys, redactor, isExclusive: options.exclusive });
  const report = buildTrafficReport(findings, {
    base,
    keys,
    isExclusive: options.exclusive,
    level,
    requirementSet,
    baseline,
    startedAt,
    durationSeconds: (performance.now() - started) / 1000,
    unseen: { notSampled: 0, overload: 0 },
    problems: [],
  });
  return finishRun(report, options, { redact: redactor.redact });
}

function readRecording(path: string) {
  const named = `--har ${path}`;
  const text = readTextFile(path, named);
  return /\.(?:ndjson|jsonl)$/i.test(path) ? readHarLines(text, named) : readHar(text, named);
}
