import type { RequirementId } from '../../../contract/requirements/index.ts';
import { EXPLORE, type Finding } from '../../../contract/verdict.ts';
import { collectJudgements } from '../../oracle/index.ts';
import { needOfEpisodeKey, setStage, type Episode, type Stage } from '../../stimuli/episodes/index.ts';
import type { Check } from '../../stimuli/index.ts';
import { tellingHistory, type TargetClient, type TrailLog } from '../../target/index.ts';
import type { CheckEnvironment } from '../check-environment.ts';
import { openCheckContext } from '../open-check-context.ts';
import type { StateCoverage } from './coverage.ts';

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
  readonly coverage: StateCoverage;
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
  const { environment, coverage } = scene;
  const history = environment.client.history.another();
  const { client, takeViolations } = watch(environment.client, history, log);
  const control =
    environment.control === null ? null : tellingHistory(environment.control, history, client.time);
  environment.facts.revokedKeys.forEach(history.learnRevoked);
  const { context, close } = openCheckContext(
    { ...environment, client, control, store: null },
    { check: EPISODE, keys: [], pets: [], judgements: client.judgements },
  );
  const stage = setStage(context, {
    isOwn: true,
    onState: coverage.note,
    onLost: () => client.liveness.ask(client),
  });
  await stage.set(episode);
  const issuedAt = context.now();
  const keys = await Promise.all(episode.keys.map((key) => context.issue(needOfEpisodeKey(key))));
  for (const key of keys) {
    history.learnKey(key, issuedAt);
  }
  stage.follow(keys);
  return { stage, takeViolations, close };
}

/**
 * A stage for all episodes on keys and pets that are not their own: it keeps every limit, waits for nothing else, and puts
 * back what it changed.
 */
export async function openCarefulStage(scene: Scene, check: Check, log: TrailLog): Promise<OpenStage> {
  const { environment, coverage } = scene;
  const { client, takeViolations } = watch(environment.client, environment.client.history, log);
  const keys = await environment.leases.lease(check.needs.keys);
  const pets = await environment.petLeases.lease(check.needs.pets ?? 0);
  const { context, touched, close } = openCheckContext(
    { ...environment, client },
    { check, keys, pets, judgements: client.judgements },
  );
  const stage = setStage(context, {
    isOwn: false,
    onState: coverage.note,
    onLost: () => client.liveness.ask(client),
  });
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

function watch(
  client: TargetClient,
  history: TargetClient['history'],
  log: TrailLog,
): { readonly client: TargetClient } & Pick<OpenStage, 'takeViolations'> {
  const violations = new Map<RequirementId, SeenViolation>();
  const judgements: TargetClient['judgements'] = {
    ...collectJudgements(),
    pass: (...said) => client.judgements.pass(...said),
    observe: (...said) => client.judgements.observe(...said),
    fail: (by, id, finding) => {
      if (!violations.has(id)) {
        violations.set(id, { by, id, finding });
      }
    },
  };
  return {
    client: { ...client, history, sender: { check: EXPLORE }, log, judgements },
    takeViolations: () => {
      const taken = [...violations.values()];
      violations.clear();
      return taken;
    },
  };
}
