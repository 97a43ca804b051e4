import { readFileSync } from 'node:fs';

import type { HarOptions } from './options.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { type RequirementId, SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import {
  createRedactor,
  isPacked,
  addressOf,
  type EndOfRun,
  judgeTranscript,
  readLineFile,
} from '../../suites/target/index.ts';
import {
  findBaseAddress,
  judgeRecordings,
  noteNothingToJudge,
  readHar,
  readHarLines,
  type TrafficFindings,
} from '../../suites/watch/index.ts';
import type { TrafficTarget } from '../shared/configuration/configuration.ts';
import { readJson, readTextFile } from '../shared/files/json-file.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import type { ReportedTraffic, VerifyReport } from '../../reports/index.ts';
import { COUNTED_BY_KEY, type Judgement } from '../../suites/oracle/index.ts';
import { EMPTY_PLAN } from '../../suites/verify/index.ts';
import { notJudged } from '../library/reported-requirement.ts';
import { redactReport } from '../library/reported-requirement.ts';
import { buildReport, type ReportContext } from '../library/verify/report.ts';
import { stringMember, type JsonObject } from '../../contract/json/index.ts';

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
    unseen: { notSampled: 0 },
    problems: [unreadable?.problem ?? null, noteNothingToJudge(traffic, base)].filter((one) => one !== null),
  });
  return finishRun(redactReport(report, redactor.redact), options, {});
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

export interface TrafficReportOptions extends Pick<ReportContext, 'level' | 'requirementSet' | 'baseline'> {
  readonly base: string;
  readonly keys: TrafficTarget['keys'];
  /** Whether nobody else used these keys or wrote to the inventory. */
  readonly isExclusive: boolean;
  readonly startedAt: Date;
  readonly durationSeconds: number;
  readonly unseen: Pick<ReportedTraffic, 'notSampled' | 'upgraded' | 'refused' | 'cutOff'>;
  readonly problems: readonly string[];
}

/** What only lists and updates together show, of an inventory that nobody else writes to. */
const SHOWN_BY_INVENTORY: ReadonlySet<RequirementId> = new Set<RequirementId>([
  'list-complete',
  'refused-changes-nothing',
  'update-exact-pet',
  'update-persists',
  'update-sets',
  'update-touches-one-entry',
]);

/** Why traffic did not show a requirement, and what could have it shown. */
function reasonNotShown(
  id: RequirementId,
  { keys, isExclusive }: Pick<TrafficReportOptions, 'keys' | 'isExclusive'>,
): string {
  if (SHOWN_BY_INVENTORY.has(id) && !isExclusive) {
    return 'Others may write to the inventory. If nobody does, --exclusive has it judged.';
  }
  if (COUNTED_BY_KEY.has(id)) {
    const means =
      keys.length === 0
        ? ' with a key that --key PLAN=KEY describes'
        : isExclusive
          ? ''
          : ', and more of that with --exclusive';
    return `Traffic can show only that it is broken${means}; it did not.`;
  }
  return 'No exchange of the traffic could show it.';
}

/** The report on traffic that others made. What it did not show is skipped; the verdict is about the rest. */
export function buildTrafficReport(findings: TrafficFindings, options: TrafficReportOptions): VerifyReport {
  const judgements = findings.judgements.map((judgement) =>
    judgement.outcome === 'skipped'
      ? Object.assign({}, judgement, { reason: reasonNotShown(judgement.id, options) })
      : judgement,
  );
  return reportOnTraffic({ ...findings, judgements }, options);
}

function reportOnTraffic(
  findings: TrafficFindings,
  { stopped = false, ...options }: TrafficReportOptions & { readonly stopped?: boolean },
): VerifyReport {
  const {
    base,
    keys,
    isExclusive: _isExclusive,
    startedAt,
    durationSeconds,
    unseen,
    problems,
    ...decides
  } = options;
  const { judgements, observations, ...counts } = findings;
  const run = {
    problems,
    startedAt,
    durationSeconds,
    interrupted: false,
    stopped,
    bailed: false,
    isRestored: true,
  };
  return buildReport(
    {
      ...run,
      preflight: { state: 'planned' },
      plan: EMPTY_PLAN,
      judgements,
      observations,
      checks: [],
      leftOut: new Map(),
      exploration: null,
      spent: { total: 0, byKey: {} },
      responseTimes: [],
    },
    {
      ...decides,
      config: {
        target: base,
        keys,
        revokedKeys: [],
        control: null,
        pets: { existing: [], missing: null },
        profile: 'safe',
        load: { scenarios: [] },
      },
      selection: null,
      traffic: { ...counts, ...unseen },
    },
  );
}

const BEGINNING = '{"do":"begin"';
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

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
      const hint = isPacked(file) ? '. Unpack it first if it is no history but an archive (HAR)' : '';
      throw new ConfigurationError(`${named} cannot be judged again: ${error.message}${hint}`, {
        cause: error,
      });
    }
    throw error;
  }
}

function readIfPossible(path: string): Buffer | null {
  try {
    const file = readFileSync(path);
    return file.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
      ? file.subarray(BYTE_ORDER_MARK.length)
      : file;
  } catch {
    return null;
  }
}

/** The report on a history. */
export function buildHistoryReport(
  { target, keys, findings, end }: JudgedHistory,
  options: Pick<
    TrafficReportOptions,
    'level' | 'requirementSet' | 'baseline' | 'startedAt' | 'durationSeconds'
  >,
): VerifyReport {
  return reportOnTraffic(findings, {
    ...options,
    base: target,
    keys: keys.map(({ secret, label, plan, limits }) => ({ key: secret, label, plan, limits })),
    isExclusive: true,
    unseen: { notSampled: 0 },
    problems: end?.problems ?? [
      'The history has no line that tells its end: it was cut, or an earlier version wrote it. Nobody knows what its run left open, so that nothing of it is conformant.',
    ],
    stopped: end === null || end.verdict === 'inconclusive',
  });
}

/** A history of `verify` or `load`, judged again; its keys have their pseudonyms in place of the secrets. */
type JudgedHistory = ReturnType<typeof judgeHistory>;

/**
 * Judges a history of `verify` or `load` again: the oracle and the monitors are told what they were told then.
 * @param file as `--history` writes it, packed or not
 * @throws {SyntaxError} that says why it cannot be, and in which line
 */
export function judgeHistory(file: Buffer) {
  const [header = {}, ...lines] = readLineFile(file);
  const { kind, format } = header;
  if (format !== 1) {
    throw new SyntaxError(
      `its format is ${JSON.stringify(format ?? null)}, and this version of stockcheck reads 1. Judge it with the version that wrote it`,
    );
  }
  if (kind !== 'verify' && kind !== 'load') {
    throw new SyntaxError(
      `it is a history of stockcheck ${JSON.stringify(kind ?? null)}, and tells of no target`,
    );
  }
  const target = stringMember(header, 'subject');
  const { judgements, keys, requests, end } = judgeTranscript(
    lines,
    addressOf(target),
    // Load keeps no bodies, and only the limits are judged by all that it sends.
    kind === 'verify' ? 'all' : 'limits',
  );
  const count = (isCounted: (line: JsonObject) => boolean): number => lines.filter(isCounted).length;
  return {
    target,
    keys,
    end,
    findings: {
      judgements: SERVER_REQUIREMENTS.map(({ id }) => asItsRun(judgements.judgementOf(id), end)),
      observations: end?.observations ?? judgements.observations(),
      exchanges: requests,
      others: 0,
      withoutBody: count(({ body }) => JSON.stringify(body) === '{"omitted":true}'),
      unanswered: count((line) => line['do'] === 'lose'),
    },
  };
}

/**
 * What a run left open, such as what others may explain or too few checks were run for, its history alone does not
 * decide; a violation that the run did not see counts.
 */
function asItsRun(judgement: Judgement, end: EndOfRun | null): Judgement {
  const { id, outcome } = judgement;
  const told = end === null ? judgement : end.requirements.get(id);
  if (told === undefined) {
    return outcome === 'fail' ? judgement : notJudged(id, 'Its run was not asked for it.');
  }
  if (told.outcome === outcome || (outcome === 'fail' && told.outcome !== 'inconclusive')) {
    return { ...judgement, reason: told.reason };
  }
  const isDecided = told.outcome === 'pass' || told.outcome === 'fail';
  return isDecided
    ? {
        ...notJudged(id, `In its run it was a ${told.outcome}, by what the history alone does not show.`),
        outcome: 'inconclusive',
      }
    : { ...judgement, ...told, findings: [] };
}
