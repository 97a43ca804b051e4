import type { RequirementId } from '../../contract/requirements/index.ts';
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

/** Why a target with these resources is not explored, or `null`. */
export function whyNotExplored(resources: Resources): string | null {
  return missingFor({ profile: 'full', keys: [], control: ['keys', 'clock', 'inventory'] }, resources);
}

/** The most requests that an exploration makes. */
export function explorationRequests(order: ExplorationOrder | null): number {
  return order === null ? 0 : order.requests + order.shrinking + SPARE_REQUESTS;
}

// Those that are under way together when the last one is counted, and those that are sent again.
const SPARE_REQUESTS = 100;
