import { afterAll, beforeAll, describe, test, type TestContext } from 'vitest';
import {
  AREAS,
  requirement,
  SERVER_REQUIREMENTS,
  type RequirementId,
} from '../../../contract/requirements/index.ts';
import {
  readReferences,
  resolveTargetConfig,
  type TargetConfig,
  type TargetDescription,
} from '../../target/index.ts';
import { runSuite, type RunResult } from '../run.ts';
import { readSelection } from '../selection.ts';
import { presentJudgement, type TestOutcome } from './vitest-outcome.ts';

export type { TargetDescription } from '../../target/index.ts';

/** What `stockcheck verify` takes as options. */
export interface ConformanceOptions {
  /** Requirements, checks or areas to judge, as globs; all by default. */
  readonly only?: readonly string[];
  /** The level up to which a requirement fails its test; `must` by default. */
  readonly level?: 'must' | 'should';
  /** Judges the day limit in real time, in 17 minutes. */
  readonly long?: boolean;
  /** Longest wait for the end of a ban; 120 s by default. */
  readonly banWaitSeconds?: number;
  /** Longest wait for a response; 10 s by default. */
  readonly timeoutSeconds?: number;
  /** Header fields to add to every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepts any TLS certificate. */
  readonly insecure?: boolean;
  /** Certificates to trust, as PEM. */
  readonly certificateAuthority?: string;
}

const RUN_MILLISECONDS = 300_000;
const LONG_RUN_MILLISECONDS = 1_500_000;
const DEFAULT_BAN_WAIT_SECONDS = 120;
const DEFAULT_TIMEOUT_SECONDS = 10;

/**
 * Registers one test for each requirement, to be called in a vitest file. One run of the suite, started before
 * the first test, feeds them all.
 * @throws {ConfigurationError} that names the field or pattern at fault
 */
export function conformance(target: TargetDescription, options: ConformanceOptions = {}): void {
  const references = { environment: process.env, source: 'conformance()' };
  const config = resolveTargetConfig(readReferences(target, references), 'conformance()');
  const selection = readSelection(options.only ?? [], 'conformance(): only');
  const level = options.level ?? 'must';
  const ids = SERVER_REQUIREMENTS.filter(({ id }) => selection?.requirement(id) ?? true).map(({ id }) => id);
  const banWaitSeconds = options.banWaitSeconds ?? DEFAULT_BAN_WAIT_SECONDS;
  const longest = (options.long === true ? LONG_RUN_MILLISECONDS : RUN_MILLISECONDS) + banWaitSeconds * 1000;

  describe(`stockcheck ${config.target}, profile ${config.profile}`, () => {
    const interruption = new AbortController();
    let running: Promise<RunResult> = Promise.reject(new Error('The run was not started.'));
    running.catch(() => {});

    const abort = (): void => interruption.abort(new Error('The run was interrupted.'));
    const resultFor = async (context: TestContext): Promise<RunResult> => {
      context.signal.addEventListener('abort', abort, { once: true });
      try {
        return await running;
      } catch (error) {
        throw failure(`inconclusive: ${error instanceof Error ? error.message : String(error)}`);
      }
    };

    beforeAll(() => {
      running = runSuite({
        config,
        ...(selection === null ? {} : { selects: selection.check }),
        long: options.long ?? false,
        banWaitSeconds,
        transport: {
          timeoutMilliseconds: (options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
          insecure: options.insecure ?? false,
          certificateAuthority: options.certificateAuthority ?? null,
        },
        headers: Object.entries(options.headers ?? {}),
        dryRun: false,
        signal: interruption.signal,
        listener: {},
      });
      running.catch(() => {});
    });

    // Whatever ends the tests early, the quantities are put back before the process goes.
    afterAll(async () => {
      abort();
      await running.catch(() => {});
    }, longest);

    test(
      'the run reaches a verdict and puts back what it changed',
      async (context) => {
        const problem = findProblem(await resultFor(context), ids, config);
        if (problem !== null) {
          throw failure(problem);
        }
      },
      longest,
    );

    for (const area of AREAS) {
      const ofArea = ids.filter((id) => requirement(id).area === area);
      describe.runIf(ofArea.length > 0)(area, () => {
        for (const id of ofArea) {
          test(
            `${id}: ${requirement(id).statement}`,
            async (context) => report(id, await resultFor(context), level, context),
            longest,
          );
        }
      });
    }
  });
}

/** What keeps a run from being a verdict, or `null`. */
function findProblem(
  { preflight, problems, interrupted, judgements }: RunResult,
  ids: readonly RequirementId[],
  { profile }: TargetConfig,
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

async function report(
  id: RequirementId,
  { preflight, judgements, observations }: RunResult,
  level: 'must' | 'should',
  context: TestContext,
): Promise<void> {
  const judgement = judgements.find((candidate) => candidate.id === id);
  const outcome: TestOutcome =
    'message' in preflight || judgement === undefined
      ? { kind: 'fail', text: `inconclusive: ${'message' in preflight ? preflight.message : 'not judged'}` }
      : presentJudgement(judgement, level);
  switch (outcome.kind) {
    case 'fail':
      throw failure(outcome.text);
    case 'skip':
      context.skip(outcome.text);
      break;
    case 'note':
      await annotate(context, outcome.text, 'warning');
      break;
    case 'pass':
      for (const [name, value] of Object.entries(observations)) {
        if (name === id || name.startsWith(`${id}.`)) {
          await annotate(context, `${name}: ${String(value)}`, 'notice');
        }
      }
  }
}

/** Annotations came with vitest 3.2. */
async function annotate(context: TestContext, text: string, type: 'notice' | 'warning'): Promise<void> {
  if ('annotate' in context) {
    await context.annotate(text, type);
  }
}

/** An error without a stack: the place in this file that threw it helps nobody. */
function failure(message: string): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  return error;
}
