import { messageOf } from '../../../contract/error-text.ts';
import { AREAS, requirement, SERVER_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import type { Finding } from '../../../contract/verdict.ts';
import {
  isBinding,
  reasonOf,
  type Observation,
  type ReportedRequirement,
  type VerifyReport,
} from '../../../reports/index.ts';
import type { TargetDescription } from '../../../suites/target/index.ts';
import { readConformance, type ConformanceOptions } from '../conformance-options.ts';
import { judgeTarget } from '../verify/judge-target.ts';

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
    run: async (signal: AbortSignal): Promise<PresentedRun> => {
      try {
        const { report, whyEnded } = await judgeTarget({ ...conformance, signal, listener: {} });
        return whyEnded === null ? presentRun(report) : notRun(ids, whyEnded);
      } catch (error) {
        return notRun(ids, messageOf(error));
      }
    },
  };
}

/** Of a run that judged nothing, no test may pass, nor be left out. */
function notRun(ids: readonly string[], reason: string): PresentedRun {
  const text = `inconclusive: ${reason}`;
  const failed: PresentedTest = { outcome: { kind: 'fail', text }, notes: [] };
  return { problem: text, requirements: Object.fromEntries(ids.map((id) => [id, failed])) };
}

function presentRun({ requirements, observations, problems, profile, level }: VerifyReport): PresentedRun {
  const isJudged = requirements.some(({ outcome }) => outcome !== 'skipped' && outcome !== 'inconclusive');
  return {
    problem: isJudged
      ? (problems[0] ?? null)
      : `inconclusive: nothing that was selected is judged in profile ${profile}.`,
    requirements: Object.fromEntries(
      requirements.map((row) => [
        row.id,
        { outcome: presentRow(row, level), notes: notesOn(row.id, observations) },
      ]),
    ),
  };
}

function notesOn(id: string, observations: Readonly<Record<string, Observation>>): readonly string[] {
  return Object.entries(observations)
    .filter(([name]) => name === id || name.startsWith(`${id}.`))
    .map(([name, value]) => `${name}: ${String(value)}`);
}

/** A requirement below the level that decides, or newer than the set that does, never fails its test. */
export function presentRow(row: ReportedRequirement, level: 'must' | 'should'): TestOutcome {
  const kind = isBinding({ level }, row) ? 'fail' : 'note';
  switch (row.outcome) {
    case 'pass':
    case 'observed':
      return { kind: 'pass' };
    case 'skipped':
      return { kind: 'skip', text: reasonOf(row) };
    case 'fail':
      return {
        kind,
        text: [row.title, ...row.findings.map(describeFinding), `clause: ${row.clause}`].join('\n\n'),
      };
    case 'inconclusive':
      return { kind, text: `inconclusive: ${reasonOf(row)}` };
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
async function endTest({ requirements }: PresentedRun, id: string, { skip, tell }: TestTold): Promise<void> {
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
