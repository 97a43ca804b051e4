import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import { requestsInTrail, type Trail } from '../../../contract/trail.ts';
import type { Finding } from '../../../contract/verdict.ts';
import { collectJudgements, type Judgement } from '../../oracle/index.ts';
import { beginHistory, type OpenedTarget, type TargetClient } from '../../target/index.ts';
import type { LeftRequests } from '../budget.ts';
import { inHistory, withClient, type CheckEnvironment } from '../check-environment.ts';
import { performCheck } from '../perform-check.ts';
import type { RunListener } from '../perform-plan.ts';
import { attemptsByChance, leasePetsOf, trailCheck } from './trail-check.ts';
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

/**
 * Of each requirement that failed, unless it is short enough: binding ones first, then the shortest.
 * @param seen by chance, so that they are repeated however short they are
 */
function longSightings(failed: readonly Judgement[], seen: ReadonlySet<RequirementId>): readonly Sightings[] {
  return failed
    .flatMap(({ id, outcome, findings }): readonly Sightings[] => {
      const trails = findings.flatMap(({ trail }) => (trail?.isOracles === true ? [trail] : []));
      const isLong = trails.length > 0 && (seen.has(id) || !trails.some(isShort));
      const byLength = trails.toSorted((one, other) => requestsInTrail(one) - requestsInTrail(other));
      const check = findings[0]?.check ?? 'replay';
      return outcome === 'fail' && isLong ? [{ id, check, trails: byLength }] : [];
    })
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ id, trails: [shortest] }: Sightings): number {
  const requests = shortest === undefined ? 0 : requestsInTrail(shortest);
  return (requirement(id).level === 'must' ? 0 : 1_000_000) + requests;
}

/** What came of sending again what had led to failures. */
export type Shortening = typeof NOTHING_SHORTENED;

export const NOTHING_SHORTENED = {
  requests: 0,
  /**
   * By requirement the requests of the shortest trail that showed it again; `null` if none did, and `undefined` if they
   * could not all be sent.
   */
  shown: new Map<RequirementId, number | null | undefined>(),
};

/**
 * Makes the findings of what failed as short as they still show, on fresh keys and with an inventory that the run fills.
 * It takes a control URL that issues keys and moves the clock, and only requests that were announced and are left.
 * What an exploration has `seen` is sent again however short it is.
 */
export async function shrinkFindings(
  { inventory, judgements }: Pick<OpenedTarget, 'inventory' | 'judgements'>,
  environment: CheckEnvironment,
  failed: readonly Judgement[],
  {
    left,
    spend,
    onShortening,
    seen,
  }: LeftRequests &
    Required<Pick<RunListener, 'onShortening'>> & { readonly seen: ReadonlySet<RequirementId> },
): Promise<Shortening> {
  const { time, signal } = environment.client;
  if (!environment.leases.issues || !time.virtual) {
    return NOTHING_SHORTENED;
  }
  let sent = 0;
  const results: Shortening['shown'] = new Map();
  const end = performance.now() + MOST_MILLISECONDS;
  const mayGoOn = (): boolean => !signal.aborted && performance.now() < end;
  const stage: Stage = {
    environment,
    pets: inventory.pets,
    spend: (label) => {
      sent += 1;
      spend(label);
    },
  };
  const send = async (candidate: Trail, of: Sightings): Promise<Finding | null | undefined> => {
    const takes = requestsInTrail(candidate);
    return !mayGoOn() || sent + takes > MOST_REQUESTS || left() < takes
      ? undefined
      : time.participate(() => playAgain(stage, candidate, of));
  };
  for (const sightings of longSightings(failed, seen)) {
    const { id } = sightings;
    onShortening(id);
    const shortest = await shortestOf(sightings, (candidate) => send(candidate, sightings));
    if (shortest === null || shortest === undefined) {
      results.set(id, shortest);
    } else {
      results.set(id, requestsInTrail(shortest.trail));
      judgements.shorten(id, shortest);
    }
  }
  return { requests: sent, shown: results };
}

type FindingWithTrail = Finding & { readonly trail: Trail };

/**
 * The finding whose trail is the shortest that shows it again.
 * @param send returns `undefined` if nothing more may be sent
 * @returns `null` if none of the trails shows it again, and `undefined` if not all could be sent
 */
async function shortestOf(
  { trails }: Sightings,
  send: (candidate: Trail) => Promise<Finding | null | undefined>,
): Promise<FindingWithTrail | null | undefined> {
  const found: { shortest: FindingWithTrail | null } = { shortest: null };
  const play = async (candidate: Trail): Promise<Trail | null | undefined> => {
    const shown = await send(candidate);
    const trail = shown?.trail;
    if (shown === undefined || shown === null || trail === undefined) {
      return shown === undefined ? undefined : null;
    }
    const known = found.shortest === null ? trails : [found.shortest.trail];
    found.shortest = known.some((one) => isSimpler(one, trail)) ? found.shortest : { ...shown, trail };
    return trail;
  };
  for (const trail of trails.flatMap((one) => Array.from(promisingTrails(one)))) {
    const shown = await play(trail);
    if (shown === undefined) {
      return undefined;
    }
    if (shown !== null) {
      await shrinkTrail(shown, play);
      break;
    }
  }
  const { shortest } = found;
  return shortest === null
    ? null
    : { ...shortest, trail: { ...shortest.trail, attempts: await attemptsFor(shortest.trail, play) } };
}

const REPETITIONS = 2;

/** How often a trail has to be sent: many times if it does not show the violation each time. */
async function attemptsFor(
  trail: Trail,
  play: (trail: Trail) => Promise<Trail | null | undefined>,
): Promise<number> {
  for (let count = 0; count < REPETITIONS; count += 1) {
    if ((await play(trail)) === null) {
      return attemptsByChance(trail, requestsInTrail(trail));
    }
  }
  return trail.attempts;
}

interface Stage {
  readonly environment: CheckEnvironment;
  readonly pets: OpenedTarget['inventory']['pets'];
  readonly spend: TargetClient['spend'];
}

/** Sends a trail on fresh keys, in a history of its own. @returns what shows the violation, or `null` */
async function playAgain(
  { environment, pets, spend }: Stage,
  trail: Trail,
  { id, check }: Pick<Sightings, 'id' | 'check'>,
): Promise<Finding | null> {
  const judgements = collectJudgements();
  // What is sent once more is no part of what the run was judged by.
  const own = inHistory(
    withClient(environment, { judgements, spend, sender: { check } }),
    beginHistory(environment.client.clock),
  );
  const petLeases = leasePetsOf(trail, pets);
  await performCheck(trailCheck({ ...trail, attempts: 1 }, id, false), { ...own, petLeases }, () => {});
  const { outcome, findings } = judgements.judgementOf(id, (one) => one === id);
  return outcome === 'fail' ? (findings[0] ?? null) : null;
}
