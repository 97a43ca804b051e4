import type { Check } from '../suites/check.ts';
import { NotPossible, type ScenarioContext } from './scenario.ts';

export interface PerformedChecks {
  readonly notes: readonly string[];
  /** Why what was looked at could not be decided, in a sentence, or `null`. */
  readonly inconclusive: string | null;
}

/**
 * Performs checks of the suites side by side.
 * @throws {NotPossible} where none of them can be
 */
export async function performAll(
  { session, listener }: Pick<ScenarioContext, 'session' | 'listener'>,
  checks: readonly Check[],
): Promise<PerformedChecks> {
  const obstacles = checks.map((check) => ({ check, reason: obstacleOf(session, check) }));
  const possible = obstacles.filter(({ reason }) => reason === null).map(({ check }) => check);
  const [firstObstacle] = obstacles.flatMap(({ reason }) => reason ?? []);
  if (possible.length === 0) {
    throw new NotPossible(firstObstacle ?? 'There is nothing to look at.');
  }
  listener.onPhase(possible.length === 1 ? (possible[0]?.title ?? '') : `${possible.length} checks`, 60);
  const summaries = await Promise.all(possible.map(session.perform));
  const undecided = summaries.filter(({ outcome }) => outcome === 'inconclusive');
  return {
    notes: [
      ...new Set(
        obstacles.flatMap(({ check, reason }) =>
          reason === null ? [] : [`Left out: ${check.title}. ${reason}`],
        ),
      ),
    ],
    inconclusive:
      undecided.length === 0
        ? null
        : reasonFor(
            session,
            undecided.flatMap(({ check }) => check.judges),
          ),
  };
}

function obstacleOf(session: ScenarioContext['session'], check: Check): string | null {
  const missing = (check.needs.control ?? []).find(
    (capability) => session.control?.capabilities.has(capability) !== true,
  );
  if (missing !== undefined) {
    return `It takes a control URL that offers ${missing}.`;
  }
  if (session.config.profile !== 'full') {
    return `Profile ${session.config.profile} never exhausts a limit; --profile full does.`;
  }
  return session.obstacle(check);
}

function reasonFor({ judgements }: ScenarioContext['session'], ids: Check['judges']): string {
  const reasons = ids.flatMap((id) => {
    const { outcome, reason } = judgements.judgementOf(id);
    return outcome === 'inconclusive' && reason !== null ? [reason] : [];
  });
  return reasons[0] ?? 'A check could not decide what it looked at.';
}
