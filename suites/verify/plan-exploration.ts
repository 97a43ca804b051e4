import type { RequirementId } from '../../contract/requirements/index.ts';
import type { KeyLeases } from '../target/index.ts';
import type { Check } from '../stimuli/index.ts';
import { missingFor, type Resources } from './resources.ts';

/** An exploration as it is asked for. */
export interface ExplorationOrder {
  /** Requests of random sequences. */
  readonly requests: number;
  /** What the sequences are drawn with; the same seed draws the same ones. */
  readonly seed: number;
  /** Requests that shrinking may take beside them, at most. */
  readonly shrinking: number;
  /** Ends as soon as all of these are violated; by default it goes on to the end. */
  readonly until?: readonly RequirementId[];
}

/** An exploration as it can be carried out on a target. */
export interface PlannedExploration extends ExplorationOrder {
  /**
   * `null` if each sequence has keys and an inventory of its own, whose limits and time it may use up. Else the check
   * whose keys and pets it uses, as carefully as a check does.
   */
  readonly careOf: Check | null;
}

/** Requests with one key before it has to rest. */
const CAREFUL_REQUESTS = 40;
const CAREFUL_PETS = 4;

/** What a run says if it explored nothing, though it was to. */
export function describeNotExplored(reason: string): string {
  return `Nothing was explored. ${reason}`;
}

/** How a target is explored, or why it is not. */
export function planExploration(
  order: ExplorationOrder,
  resources: Resources,
  leases: KeyLeases,
): { readonly exploration: PlannedExploration } | { readonly obstacle: string } {
  if (
    missingFor({ profile: 'full', keys: [], control: ['keys', 'clock', 'inventory'] }, resources) === null
  ) {
    return { exploration: { ...order, careOf: null } };
  }
  const careOf = carefulCheck(order.requests);
  const obstacle = missingFor(careOf.needs, resources) ?? leases.obstacle(careOf.needs.keys);
  return obstacle === null ? { exploration: { ...order, shrinking: 0, careOf } } : { obstacle };
}

function carefulCheck(requests: number): Check {
  return {
    id: 'explore',
    title: 'Random sequences of requests within the limits',
    judges: [],
    needs: {
      profile: 'standard',
      keys: [
        {
          plan: 'any',
          use: 'spare',
          requests: Math.min(requests, CAREFUL_REQUESTS),
          rounds: windowsOf(requests),
        },
      ],
      pets: CAREFUL_PETS,
      worksWithoutPets: true,
    },
    run: async () => {},
  };
}

/** Windows of real time that a careful exploration takes, at most. */
function windowsOf(requests: number): number {
  return Math.ceil(requests / CAREFUL_REQUESTS);
}

/** The most requests that an exploration makes, and the windows of real time that it takes. */
export function explorationBudget(exploration: PlannedExploration | null): {
  readonly requests: number;
  readonly windows: number;
} {
  if (exploration === null) {
    return { requests: 0, windows: 0 };
  }
  const { requests, shrinking, careOf } = exploration;
  return careOf === null
    ? { requests: requests + shrinking + SPARE_REQUESTS, windows: 0 }
    : { requests: requests + SPARE_REQUESTS, windows: windowsOf(requests) };
}

// Those that are under way together when the last one is counted, and those that are sent again.
const SPARE_REQUESTS = 100;
