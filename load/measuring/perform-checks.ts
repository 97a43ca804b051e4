import type { Check } from '../../suites/verify/index.ts';
import { NotPossible, type ScenarioContext } from '../scenario.ts';

export interface PerformedChecks {
  readonly notes: readonly string[];
  /** Why the checks came to no decision, in a sentence, or `null`. */
  readonly inconclusive: string | null;
}

/** Checks that can be performed on this target, and why the others are left out. */
export interface CheckPlan {
  readonly possible: readonly Check[];
  readonly leftOut: readonly string[];
}

/** @throws {NotPossible} if none of the checks can be performed */
export function planChecks(session: ScenarioContext['session'], checks: readonly Check[]): CheckPlan {
  const obstacles = checks.map((check) => ({ check, reason: obstacleOf(session, check, checks) }));
  const possible = obstacles.filter(({ reason }) => reason === null).map(({ check }) => check);
  if (possible.length === 0) {
    throw new NotPossible(obstacles[0]?.reason ?? 'There is nothing to look at.');
  }
  const leftOut = obstacles.flatMap(({ check, reason }) =>
    reason === null ? [] : [`Left out: ${check.title}. ${reason}`],
  );
  return { possible, leftOut: [...new Set(leftOut)] };
}

/** Performs checks of the suites side by side. */
export async function performAll(
  { session, listener }: Pick<ScenarioContext, 'session' | 'listener'>,
  { possible, leftOut }: CheckPlan,
): Promise<PerformedChecks> {
  listener.onPhase(possible.length === 1 ? (possible[0]?.title ?? '') : `${possible.length} checks`, 60);
  const summaries = await session.perform(possible);
  const undecided = summaries.filter(({ outcome }) => outcome === 'inconclusive');
  return {
    notes: leftOut,
    inconclusive:
      undecided.length === 0
        ? null
        : reasonFor(
            session,
            undecided.flatMap(({ check }) => check.judges),
          ),
  };
}

function obstacleOf(
  session: ScenarioContext['session'],
  check: Check,
  among: readonly Check[],
): string | null {
  const missing = (check.needs.control ?? []).find(
    (capability) => session.control?.capabilities.has(capability) !== true,
  );
  if (missing !== undefined) {
    return `This needs a control URL that offers ${missing}.`;
  }
  if (session.config.profile !== 'full') {
    return `Profile ${session.config.profile} never exhausts a limit; --profile full does.`;
  }
  return session.obstacle(check, among);
}

function reasonFor({ judgements }: ScenarioContext['session'], ids: Check['judges']): string {
  const reasons = ids.flatMap((id) => {
    const { outcome, reason } = judgements.judgementOf(id);
    return outcome === 'inconclusive' && reason !== null ? [reason] : [];
  });
  return reasons[0] ?? 'A check came to no decision.';
}
