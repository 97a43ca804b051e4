import type { RequirementId } from '../../../contract/requirements/index.ts';
import { EXPLORE, type Finding } from '../../../contract/verdict.ts';
import { collectJudgements } from '../../oracle/index.ts';
import { setStage } from '../../stimuli/episodes/index.ts';
import type { Check } from '../../stimuli/index.ts';
import type { TargetClient, TrailLog } from '../../target/index.ts';
import { inHistory, withClient, type CheckEnvironment } from '../check-environment.ts';
import { openCheckContext } from '../check-context.ts';

/** A requirement that was seen violated. */
export interface SeenViolation {
  /** Id of the monitor that says so, or of the explorer. */
  readonly by: string;
  readonly id: RequirementId;
  readonly finding: Finding;
}

const EPISODE: Check = {
  id: EXPLORE,
  title: 'A random sequence of requests',
  judges: [],
  needs: { profile: 'full', keys: [] },
  run: async () => {},
};

/**
 * A stage for an episode, whose violations are kept apart; it begins a history on keys and an inventory of its own.
 * @param log what led to a finding; it may hold earlier episodes
 */
export function openStage(surroundings: CheckEnvironment, log: TrailLog) {
  const { environment, takeViolations } = watch(surroundings, log);
  const own = inHistory(environment, environment.client.history.another());
  const { client } = own;
  const { context, close } = openCheckContext(own, {
    check: EPISODE,
    keys: [],
    pets: [],
    judgements: client.judgements,
  });
  const stage = setStage(context, () => client.liveness.ask(client));
  return { stage, takeViolations, close };
}

/** What is sent in this environment counts as the explorer's, and its violations are kept apart. */
function watch(environment: CheckEnvironment, log: TrailLog) {
  const inAll = environment.client.judgements;
  const violations = new Map<RequirementId, SeenViolation>();
  const judgements: TargetClient['judgements'] = {
    ...collectJudgements(),
    pass: (...said) => inAll.pass(...said),
    observe: (...said) => inAll.observe(...said),
    fail: (by, id, finding) => {
      if (!violations.has(id)) {
        violations.set(id, { by, id, finding });
      }
    },
  };
  return {
    environment: withClient(environment, { sender: { check: EXPLORE }, log, judgements }),
    /** The first violation of each requirement since this was asked for last. */
    takeViolations: (): readonly SeenViolation[] => {
      const taken = [...violations.values()];
      violations.clear();
      return taken;
    },
  };
}
