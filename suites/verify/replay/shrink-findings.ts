import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import { requestsInTrail, type Trail } from '../../../contract/trail.ts';
import type { Finding } from '../../../contract/verdict.ts';
import { collectJudgements, type Judgement, type Judgements } from '../../oracle/index.ts';
import {
  beginHistory,
  openRequestTrace,
  tellingHistory,
  type KeyLeases,
  type OpenedTarget,
  type TargetClient,
} from '../../target/index.ts';
import type { LeftRequests } from '../budget.ts';
import type { CheckEnvironment } from '../check-environment.ts';
import { performCheck } from '../perform-check.ts';
import type { RunListener } from '../perform-plan.ts';
import { petsWrittenBy, trailCheck } from './trail-check.ts';
import { isShort, isSimpler, promisingTrails, shrinkTrail } from './shrink-trail.ts';

/** What may be spent on making findings shorter. */
const MOST_REQUESTS = 3_000;
const MOST_MILLISECONDS = 3_000;
/** How a requirement was seen to fail: trails that may show it again, the shortest first. */
interface Sightings {
  readonly id: RequirementId;
  readonly check: string;
  readonly trails: readonly Trail[];
}

/** Of each requirement that failed, unless it is short enough: binding ones first, then the shortest. */
function longSightings(failed: readonly Judgement[]): readonly Sightings[] {
  return failed
    .flatMap(({ id, outcome, findings }) => {
      const trails = findings.flatMap(({ trail }) => (trail?.isOracles === true ? [trail] : []));
      const check = findings[0]?.check ?? 'replay';
      return outcome === 'fail' && trails.length > 0 && !trails.some(isShort)
        ? [
            {
              id,
              check,
              trails: trails.toSorted((one, other) => requestsInTrail(one) - requestsInTrail(other)),
            },
          ]
        : [];
    })
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ id, trails: [shortest] }: Sightings): number {
  const requests = shortest === undefined ? 0 : requestsInTrail(shortest);
  return (requirement(id).level === 'must' ? 0 : 1_000_000) + requests;
}

/**
 * Makes the findings of what failed as short as they still show, on fresh keys and with an inventory that the run fills.
 * It takes a control URL that issues keys and moves the clock, and only requests that were announced and are left.
 */
export async function shrinkFindings(
  { issuedKeys, inventory }: Pick<OpenedTarget, 'issuedKeys' | 'inventory'>,
  environment: CheckEnvironment,
  failed: readonly Judgement[],
  judgements: Pick<Judgements, 'shorten'>,
  { left, spend, onShortening }: LeftRequests & Required<Pick<RunListener, 'onShortening'>>,
): Promise<void> {
  const { time, signal } = environment.client;
  if (issuedKeys === null || !time.virtual) {
    return;
  }
  let sent = 0;
  const end = performance.now() + MOST_MILLISECONDS;
  const mayGoOn = (): boolean => !signal.aborted && performance.now() < end;
  const stage: Stage = {
    environment,
    issuedKeys,
    pets: inventory.pets,
    spend: (label) => {
      sent += 1;
      spend(label);
    },
  };
  for (const { id, check, trails } of longSightings(failed)) {
    onShortening(id);
    let shortest: (Finding & { readonly trail: Trail }) | null = null;
    const play = async (candidate: Trail): Promise<Trail | null | undefined> => {
      const takes = requestsInTrail(candidate);
      if (!mayGoOn() || sent + takes > MOST_REQUESTS || left() < takes) {
        return undefined;
      }
      const shown = await time.participate(() => playAgain(stage, candidate, { id, check }));
      if (shown?.trail === undefined) {
        return null;
      }
      const { trail } = shown;
      const known = shortest === null ? trails : [shortest.trail];
      shortest = known.every((one) => isSimpler(trail, one)) ? { ...shown, trail } : shortest;
      return trail;
    };
    for (const trail of trails.flatMap((one) => Array.from(promisingTrails(one)))) {
      const shown = await play(trail);
      if (shown !== null) {
        await (shown === undefined ? undefined : shrinkTrail(shown, play));
        break;
      }
    }
    if (shortest !== null) {
      judgements.shorten(id, shortest);
    }
  }
}

interface Stage {
  readonly environment: CheckEnvironment;
  readonly issuedKeys: KeyLeases;
  readonly pets: OpenedTarget['inventory']['pets'];
  readonly spend: TargetClient['spend'];
}

/** Sends a trail on fresh keys, in a history of its own. @returns what shows the violation, or `null` */
async function playAgain(
  { environment, issuedKeys, pets, spend }: Stage,
  trail: Trail,
  { id, check }: Pick<Sightings, 'id' | 'check'>,
): Promise<Finding | null> {
  const judgements = collectJudgements();
  const { time, clock, revokedKeys } = environment.client;
  // What is sent once more is no part of what the run was judged by.
  const history = beginHistory(clock);
  revokedKeys.forEach(history.learnRevoked);
  const leases: KeyLeases = {
    ...issuedKeys,
    lease: async (needs) => {
      const issuedAt = time.now();
      const keys = await issuedKeys.lease(needs);
      keys.forEach((key) => key !== null && history.learnKey(key, issuedAt));
      return keys;
    },
  };
  const petIds = new Set(petsWrittenBy(trail));
  const written = pets.filter(({ petId }) => petIds.has(petId));
  const client = {
    ...environment.client,
    judgements,
    history,
    spend,
    sender: { check, trace: openRequestTrace() },
  };
  const own: CheckEnvironment = {
    ...environment,
    client,
    leases,
    petLeases: { lease: () => Promise.resolve(written), release: () => {}, total: written.length },
    control: environment.control === null ? null : tellingHistory(environment.control, history, time),
    store: null,
  };
  await performCheck(trailCheck({ ...trail, attempts: 1 }, id, false), own, () => {});
  const { outcome, findings } = judgements.judgementOf(id, (one) => one === id);
  return outcome === 'fail' ? (findings[0] ?? null) : null;
}
