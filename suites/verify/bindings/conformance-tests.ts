import { messageOf } from '../../../contract/error-text.ts';
import {
  AREAS,
  isNewer,
  LATEST_SET,
  requirement,
  SERVER_REQUIREMENTS,
  type RequirementId,
  type RequirementSet,
} from '../../../contract/requirements/index.ts';
import type { Finding } from '../../../contract/verdict.ts';
import type { Judgement } from '../../oracle/index.ts';
import type { TargetDescription } from '../../target/index.ts';
import { readConformance, type ConformanceOptions, type ReadConformance } from '../conformance-options.ts';
import { runSuite, type RunResult } from '../run.ts';

/** The tests that one run of the suite feeds, for whatever runner presents them. */
export type ConformanceTests = ReturnType<typeof conformanceTests>;

/** What a runner of tests offers. */
interface TestRunner<Context> {
  readonly group: (title: string, register: () => void) => void;
  readonly test: (title: string, body: (context: Context) => Promise<void>) => void;
  readonly afterAll: (end: () => Promise<void>) => void;
  /** Aborts when a test is ended from outside. */
  readonly signalOf?: (context: Context) => AbortSignal;
  readonly toldOf: (context: Context) => TestTold;
}

/** Registers a test for each requirement; one run, started by the first test, feeds them all. */
export function registerTests<Context>(
  { title, runTitle, areas, run }: ConformanceTests,
  { group, test, afterAll, signalOf, toldOf }: TestRunner<Context>,
): void {
  group(title, () => {
    const interruption = new AbortController();
    const interrupt = (): void => interruption.abort(new Error('The run was interrupted.'));
    let running: Promise<PresentedRun> | undefined;
    const resultFor = (context: Context): Promise<PresentedRun> => {
      signalOf?.(context).addEventListener('abort', interrupt, { once: true });
      running ??= run(interruption.signal);
      return running;
    };

    // Whatever ends the tests early, the quantities are put back before the process goes.
    afterAll(async () => {
      interrupt();
      await running;
    });

    test(runTitle, async (context) => requireVerdict(await resultFor(context)));

    for (const { area, tests } of areas) {
      group(area, () => {
        for (const { id, title: requirement } of tests) {
          test(requirement, async (context) => endTest(await resultFor(context), id, toldOf(context)));
        }
      });
    }
  });
}

/** What a run comes to as tests: plain JSON, so that one process may hand it to another. */
export interface PresentedRun {
  /** What keeps it from being a verdict, or `null`. */
  readonly problem: string | null;
  readonly requirements: Readonly<Record<string, PresentedTest>>;
}

interface PresentedTest {
  readonly outcome: TestOutcome;
  /** Observations, such as `retry-after-format: delta-seconds`. */
  readonly notes: readonly string[];
}

/** How a test presents what was found of one requirement. */
export type TestOutcome =
  | { readonly kind: 'pass' }
  /** Passes, with something to be told. */
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'skip'; readonly text: string }
  | { readonly kind: 'fail'; readonly text: string };

const RUN_MILLISECONDS = 300_000;
const LONG_RUN_MILLISECONDS = 1_500_000;

/**
 * One test for each requirement.
 * @throws {ConfigurationError} that names the field or pattern at fault
 */
export function conformanceTests(target: TargetDescription, options: ConformanceOptions) {
  const conformance = readConformance(target, options, 'conformance()');
  const { config, selection, long, banWaitSeconds } = conformance;
  const ids = SERVER_REQUIREMENTS.filter(({ id }) => selection?.requirement(id) ?? true).map(({ id }) => id);
  const areas = AREAS.map((area) => ({
    area,
    tests: ids
      .filter((id) => requirement(id).area === area)
      .map((id) => ({ id, title: `${id}: ${requirement(id).statement}` })),
  }));
  return {
    title: `stockcheck ${config.target}, profile ${config.profile}`,
    /** Title of the test that holds if the run came to a verdict. */
    runTitle: 'the run reaches a verdict and puts back what it changed',
    areas: areas.filter(({ tests }) => tests.length > 0),
    /** Longest time that a test may wait for the run. */
    longestMilliseconds: (long ? LONG_RUN_MILLISECONDS : RUN_MILLISECONDS) + banWaitSeconds * 1000,
    /** Runs the suite. It never rejects; after an abort it ends when all that was changed is put back. */
    run: (signal: AbortSignal): Promise<PresentedRun> => performRun(conformance, ids, signal),
  };
}

async function performRun(
  { selection, level, requirementSet, ...run }: ReadConformance,
  ids: readonly RequirementId[],
  signal: AbortSignal,
): Promise<PresentedRun> {
  try {
    const result = await runSuite({
      ...run,
      ...(selection === null ? {} : { selects: selection.check }),
      dryRun: false,
      signal,
      listener: {},
    });
    return {
      problem: findProblem(result, ids, run.config.profile),
      requirements: Object.fromEntries(
        ids.map((id) => [id, presentTest(id, result, { level, requirementSet })]),
      ),
    };
  } catch (error) {
    const text = `inconclusive: ${messageOf(error)}`;
    const failed: PresentedTest = { outcome: { kind: 'fail', text }, notes: [] };
    return { problem: text, requirements: Object.fromEntries(ids.map((id) => [id, failed])) };
  }
}

/** What keeps a run from being a verdict, or `null`. */
function findProblem(
  { preflight, problems, interrupted, judgements }: RunResult,
  ids: readonly RequirementId[],
  profile: string,
): string | null {
  if ('message' in preflight) {
    return `inconclusive: ${preflight.message}`;
  }
  if (interrupted) {
    return 'inconclusive: the run was interrupted.';
  }
  const isJudged = judgements.some(
    ({ id, outcome }) => ids.includes(id) && outcome !== 'skipped' && outcome !== 'inconclusive',
  );
  return isJudged
    ? (problems[0] ?? null)
    : `inconclusive: nothing that was selected is judged in profile ${profile}.`;
}

function presentTest(
  id: RequirementId,
  { preflight, judgements, observations }: RunResult,
  { level, requirementSet }: Pick<ReadConformance, 'level' | 'requirementSet'>,
): PresentedTest {
  const judgement = judgements.find((candidate) => candidate.id === id);
  const outcome: TestOutcome =
    'message' in preflight || judgement === undefined
      ? { kind: 'fail', text: `inconclusive: ${'message' in preflight ? preflight.message : 'not judged'}` }
      : presentJudgement(judgement, level, requirementSet);
  const notes = Object.entries(observations)
    .filter(([name]) => name === id || name.startsWith(`${id}.`))
    .map(([name, value]) => `${name}: ${String(value)}`);
  return { outcome, notes };
}

/** A requirement below the level that decides, or newer than the set that does, never fails its test. */
export function presentJudgement(
  { id, outcome, findings, reason }: Judgement,
  level: 'must' | 'should',
  set: RequirementSet = LATEST_SET,
): TestOutcome {
  const row = requirement(id);
  const decides = !isNewer(row, set) && (row.level === 'must' || row.level === level);
  switch (outcome) {
    case 'pass':
    case 'observed':
      return { kind: 'pass' };
    case 'skipped':
      return { kind: 'skip', text: reason ?? 'not judged' };
    case 'fail': {
      const text = [row.statement, ...findings.map(describeFinding), `clause: ${row.clause}`].join('\n\n');
      return decides ? { kind: 'fail', text } : { kind: 'note', text };
    }
    case 'inconclusive': {
      const text = `inconclusive: ${reason ?? 'no reason was given'}`;
      return decides ? { kind: 'fail', text } : { kind: 'note', text };
    }
  }
}

function describeFinding({ message, curl }: Finding): string {
  return curl === undefined ? `- ${message}` : `- ${message}\n  ${curl}`;
}

/** An error without a stack: the place in stockcheck that threw it helps nobody. */
function failedTest(message: string): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  return error;
}

/** Fails the test of the run itself if it came to no verdict. */
function requireVerdict({ problem }: PresentedRun): void {
  if (problem !== null) {
    throw failedTest(problem);
  }
}

/** How a runner tells what a test came to, beside its failure. */
interface TestTold {
  readonly skip: (reason: string) => void;
  readonly tell: (text: string, type: 'notice' | 'warning') => Promise<void> | void;
}

/** Ends a test as its requirement came out. @throws {Error} if that fails it */
async function endTest(
  { requirements }: PresentedRun,
  id: RequirementId,
  { skip, tell }: TestTold,
): Promise<void> {
  const { outcome, notes } = requirements[id] ?? NOT_JUDGED;
  switch (outcome.kind) {
    case 'fail':
      throw failedTest(outcome.text);
    case 'skip':
      skip(outcome.text);
      break;
    case 'note':
      await tell(outcome.text, 'warning');
      break;
    case 'pass':
      for (const note of notes) {
        await tell(note, 'notice');
      }
  }
}

const NOT_JUDGED: PresentedTest = { outcome: { kind: 'fail', text: 'inconclusive: not judged' }, notes: [] };
