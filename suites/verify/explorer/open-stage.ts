import type { RequirementId } from '../../../contract/requirements/index.ts';
import { EXPLORE, type Finding } from '../../../contract/verdict.ts';
import { collectJudgements } from '../../oracle/index.ts';
import { needOfEpisodeKey, setStage, type Episode, type Stage } from '../../stimuli/episodes/index.ts';
import type { Check } from '../../stimuli/index.ts';
import type { TargetClient, TrailLog } from '../../target/index.ts';
import { inHistory, withClient, type CheckEnvironment } from '../check-environment.ts';
import { openCheckContext, type LeasedCheck } from '../check-context.ts';

/** A requirement that was seen violated. */
export interface SeenViolation {
  /** Id of the monitor that says so, or of the explorer. */
  readonly by: string;
  readonly id: RequirementId;
  readonly finding: Finding;
}

/** What episodes are played in. */
export interface Scene {
  readonly environment: CheckEnvironment;
  /** Learns from which state to which a key came. */
  readonly onState: Parameters<typeof setStage>[1]['onState'];
}

/** A stage whose violations are kept apart. */
export interface OpenStage {
  readonly stage: Stage;
  /** The first violation of each requirement since this was asked for last. */
  readonly takeViolations: () => readonly SeenViolation[];
  readonly close: () => Promise<void>;
}

const EPISODE: Check = {
  id: EXPLORE,
  title: 'A random sequence of requests',
  judges: [],
  needs: { profile: 'full', keys: [] },
  run: async () => {},
};

/**
 * Issues the keys of an episode, fills the inventory, and begins a history of its own.
 * @param log what led to a finding; it may hold earlier episodes
 */
export async function openStage(scene: Scene, episode: Episode, log: TrailLog): Promise<OpenStage> {
  const { environment, takeViolations } = watch(scene.environment, log);
  const own = inHistory(environment, environment.client.history.another());
  const { stage, context, close } = stageIn(own, { check: EPISODE, keys: [], pets: [] }, scene.onState);
  await stage.set(episode);
  stage.follow(await Promise.all(episode.keys.map((key) => context.issue(needOfEpisodeKey(key)))));
  return { stage, takeViolations, close };
}

/**
 * A stage for all episodes on keys and pets that are not their own: it keeps every limit, waits for nothing else, and puts
 * back what it changed.
 */
export async function openCarefulStage(scene: Scene, check: Check, log: TrailLog): Promise<OpenStage> {
  const { environment, takeViolations } = watch(scene.environment, log);
  const keys = await environment.leases.lease(check.needs.keys);
  const pets = await environment.petLeases.lease(check.needs.pets ?? 0);
  const { stage, touched, close } = stageIn(environment, { check, keys, pets }, scene.onState);
  stage.follow(keys.filter((key) => key !== null));
  return {
    stage,
    takeViolations,
    close: async () => {
      environment.inventory.restoreLater(touched());
      await close();
      environment.petLeases.release(pets);
    },
  };
}

function stageIn(
  environment: CheckEnvironment,
  run: Omit<LeasedCheck, 'judgements'>,
  onState: Scene['onState'],
) {
  const { client } = environment;
  const opened = openCheckContext(environment, { ...run, judgements: client.judgements });
  const stage = setStage(opened.context, {
    isOwn: run.check === EPISODE,
    onState,
    onLost: () => client.liveness.ask(client),
  });
  return { ...opened, stage };
}

/** What is sent in this environment counts as the explorer's, and its violations are kept apart. */
function watch(
  environment: CheckEnvironment,
  log: TrailLog,
): { readonly environment: CheckEnvironment } & Pick<OpenStage, 'takeViolations'> {
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
    takeViolations: () => {
      const taken = [...violations.values()];
      violations.clear();
      return taken;
    },
  };
}
