import { messageOf } from '../../contract/error-text.ts';
import { judgeReferenceServer } from '../../cli/library/verify/judge-reference-server.ts';
import { requirement, type RequirementId } from '../../contract/requirements/index.ts';
import type { Level, Outcome, Profile } from '../../contract/verdict.ts';
import type { VerifyReport } from '../../reports/index.ts';
import type { RunResult } from '../../suites/verify/index.ts';
import { startMutatedServer, type MutatedServer } from './mutated-server.ts';

/**
 * What became of a mutant. `must`, `should`: a requirement of that level failed. `no service`: it does not start, or
 * the run finds no service that it could judge. `died`: its process ended, and nothing failed. `cut off`: the run took
 * too long, and nothing failed.
 */
export type Fate =
  | 'must'
  | 'should'
  | 'no service'
  | 'died'
  | 'inconclusive'
  | 'cut off'
  | 'survived'
  | 'not reached';

export interface MutantJudgement {
  readonly fate: Fate;
  /** The profile in which it showed, or the largest that was tried; `null` if nothing was run. */
  readonly profile: Profile | null;
  /** Ids of what failed or stayed open, with the first message. */
  readonly shown: readonly { readonly id: string; readonly message: string }[];
  /** How the process of the server ended, or `null`. */
  readonly death: string | null;
  readonly seconds: number;
}

export const KILLED: ReadonlySet<Fate> = new Set(['must', 'should', 'no service']);

/** The quickest, in which most mutants are killed, and the largest. */
const TRIED: readonly Profile[] = ['safe', 'full'];
// Long enough for a busy machine; an answer takes a millisecond.
const TIMEOUT_MILLISECONDS = 10_000;
// A run with a control contract takes a few seconds.
const MOST_SECONDS = 120;

/**
 * Starts the server with a mutant, and judges it in larger and larger profiles until a must fails. What the mutant does
 * to the control contract may leave that open: then it is judged once more without one.
 */
export async function judgeMutant(
  folder: string,
  mutant: string,
  signal: AbortSignal,
): Promise<MutantJudgement> {
  const started = performance.now();
  const first = await judgeStarted(folder, mutant, { profiles: TRIED, control: 'with control', signal });
  const isOpen = ['inconclusive', 'died', 'no service'].includes(first.fate);
  const second = isOpen
    ? await judgeStarted(folder, mutant, { profiles: ['standard'], control: 'without control', signal })
    : first;
  const isWorse = KILLED.has(second.fate) || second.fate === 'died';
  return { ...(isWorse ? second : first), seconds: (performance.now() - started) / 1_000 };
}

interface Extent {
  readonly profiles: readonly Profile[];
  readonly control: 'with control' | 'without control';
  readonly signal: AbortSignal;
}

async function judgeStarted(
  folder: string,
  mutant: string,
  extent: Extent,
): Promise<Omit<MutantJudgement, 'seconds'>> {
  let server: MutatedServer;
  try {
    server = await startMutatedServer(folder, mutant);
  } catch (error) {
    const death = messageOf(error);
    return { fate: 'no service', profile: null, shown: [], death };
  }
  try {
    return await judgeInProfiles(server, extent);
  } catch (error) {
    // The suite itself has failed, which must not end the judging of all the others.
    const shown = [{ id: 'run', message: String(error) }];
    return { fate: 'inconclusive', profile: null, shown, death: server.death() };
  } finally {
    server.stop();
  }
}

/**
 * Ids of the mutants whose place is reached when the server without a mutant is judged.
 * @throws if that server is not conformant
 */
export async function findReached(folder: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const server = await startMutatedServer(folder, null);
  try {
    const { fate, shown } = await judgeInProfiles(server, {
      profiles: TRIED,
      control: 'with control',
      signal,
    });
    if (fate !== 'survived') {
      throw new Error(`The server without a mutant is judged '${fate}': ${JSON.stringify(shown)}`);
    }
    return new Set(await server.reached());
  } finally {
    server.stop();
  }
}

async function judgeInProfiles(
  server: MutatedServer,
  { profiles, control, signal: ended }: Extent,
): Promise<Omit<MutantJudgement, 'seconds'>> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(MOST_SECONDS * 1_000)]);
  let should: Omit<MutantJudgement, 'seconds'> | null = null;
  for (const profile of profiles) {
    const { report, hasService } = await judgeOnce(server, profile, control, signal);
    const death = server.death();
    const failed = rowsOf(report, 'must', 'fail');
    if (failed.length > 0) {
      return { fate: 'must', profile, shown: failed, death };
    }
    const failedShoulds = rowsOf(report, 'should', 'fail');
    should ??= failedShoulds.length > 0 ? { fate: 'should', profile, shown: failedShoulds, death } : null;
    const isOver = !hasService || death !== null || signal.aborted;
    if (isOver || profile === profiles.at(-1)) {
      const open = rowsOf(report, 'must', 'inconclusive');
      const shown = [...open, ...report.problems.map((message) => ({ id: 'run', message }))];
      const fate = !hasService ? 'no service' : isOver ? endOf(death) : FATE_BY_VERDICT[report.verdict];
      return should ?? { fate, profile, shown, death };
    }
  }
  throw new Error('There is no profile');
}

const FATE_BY_VERDICT = {
  conformant: 'survived',
  nonconformant: 'must',
  inconclusive: 'inconclusive',
} as const;

function endOf(death: string | null): Fate {
  return death === null ? 'cut off' : 'died';
}

const NO_SERVICE: ReadonlySet<string> = new Set<RunResult['preflight']['state']>([
  'unreachable',
  'wrong-base-path',
  'not-the-service',
  'out-of-service',
]);

async function judgeOnce(
  { url, controlUrl }: MutatedServer,
  profile: Profile,
  control: Extent['control'],
  signal: AbortSignal,
) {
  const address = { url, controlUrl: control === 'with control' ? controlUrl : '' };
  const { result, report } = await judgeReferenceServer(address, {
    bail: isMust,
    profile,
    selection: null,
    transport: { timeoutMilliseconds: TIMEOUT_MILLISECONDS, insecure: false, certificateAuthority: null },
    signal,
  });
  return { report, hasService: !NO_SERVICE.has(result.preflight.state) };
}

function isMust(id: RequirementId): boolean {
  return requirement(id).level === 'must';
}

function rowsOf({ requirements }: VerifyReport, level: Level, outcome: Outcome): MutantJudgement['shown'] {
  return requirements
    .filter((row) => row.level === level && row.outcome === outcome)
    .map(({ id, findings }) => ({ id, message: findings[0]?.message ?? '' }));
}
