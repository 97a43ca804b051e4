import { printableLine } from '../../../reports/index.ts';

const SHOWN_CHARACTERS = 300;

/** What the engine says about the readiness of a container. */
export interface ContainerState {
  readonly running: boolean;
  readonly exitCode: number;
  /** What its health check has found; `null` if it has none. */
  readonly health: string | null;
  /** What the last run of its health check printed. */
  readonly healthOutput: string;
  /** Whether anything answered HTTP on its port. */
  readonly answers: boolean;
}

/** How far a container is. */
export type Readiness =
  | { readonly state: 'ready' }
  | { readonly state: 'ended'; readonly why: string }
  | { readonly state: 'waiting'; readonly why: string };

/**
 * A container is ready when its health check says so and its port answers; without a health check the answer alone
 * decides. One that is unhealthy may still get healthy, so only its end is final.
 */
export function readinessOf({ running, exitCode, health, healthOutput, answers }: ContainerState): Readiness {
  if (!running) {
    return { state: 'ended', why: `it exited with code ${exitCode} before it was ready` };
  }
  if (health !== null && health !== 'healthy') {
    const said = printableLine(healthOutput.trim(), SHOWN_CHARACTERS);
    const last = said === '' ? '' : `; its last health check said: ${said}`;
    return { state: 'waiting', why: `it is ${health === 'starting' ? 'not healthy yet' : health}${last}` };
  }
  return answers ? { state: 'ready' } : { state: 'waiting', why: 'nothing answers HTTP on its port' };
}
