import type { PassedRequest, PassedResponse } from '../proxy/forward.ts';

/** What passed, in the order in which it happened; moments are Unix milliseconds. */
export type PassedStep =
  | { readonly step: 'began'; readonly id: number; readonly request: PassedRequest }
  | {
      readonly step: 'ended';
      readonly id: number;
      readonly response: PassedResponse | null;
      readonly endedAt: number;
    }
  /** So many requests began, and so many ended, that nobody judges. */
  | { readonly step: 'missed'; readonly at: number; readonly begun: number; readonly ended: number };

type Missed = { -readonly [Name in keyof MissedStep]: MissedStep[Name] };
type MissedStep = Extract<PassedStep, { readonly step: 'missed' }>;

export type Backlog = ReturnType<typeof openBacklog>;

// Beyond that, exchanges pass unjudged, so that neither traffic is held up nor memory filled.
const MOST_WAITING = 2_000;
const MOST_BYTES = 64 * 1024 * 1024;
// To hand over costs traffic more than to collect, and nobody waits for a judgement.
const MOST_COLLECTED = 100;
const COLLECT_MILLISECONDS = 10;

/**
 * What waits to be judged elsewhere, in the order in which it happened.
 * @param handOver takes steps that came one after the other, some at a time
 */
export function openBacklog(handOver: (steps: readonly PassedStep[]) => void) {
  const handed: { readonly steps: number; readonly bytes: number }[] = [];
  let collected: PassedStep[] = [];
  let collectedBytes = 0;
  let waiting = 0;
  let bytes = 0;
  // The last step that was collected, if it is one.
  let missed: Missed | null = null;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    missed = null;
    if (collected.length > 0) {
      const steps = collected;
      handed.push({ steps: steps.length, bytes: collectedBytes });
      collected = [];
      collectedBytes = 0;
      handOver(steps);
    }
  };
  const follow = (step: PassedStep, held: number): void => {
    missed = null;
    collected.push(step);
    collectedBytes += held;
    waiting += 1;
    bytes += held;
    if (collected.length >= MOST_COLLECTED) {
      flush();
    } else {
      timer ??= setTimeout(flush, COLLECT_MILLISECONDS);
    }
  };
  return {
    /** @returns whether there was room */
    add: (step: PassedStep, held: number): boolean => {
      if (waiting >= MOST_WAITING || bytes + held > MOST_BYTES) {
        return false;
      }
      follow(step, held);
      return true;
    },
    /** Adds what follows from a step that there was room for. */
    follow,
    /** Notes what nobody judges; any number of them in a row take the room of one. */
    miss: (at: number, begun: number, ended: number): void => {
      if (missed === null) {
        const own: Missed = { step: 'missed', at, begun, ended };
        follow(own, 0);
        missed = collected.at(-1) === own ? own : null;
      } else {
        missed.at = at;
        missed.begun += begun;
        missed.ended += ended;
      }
    },
    /** Hands over what was not handed over yet. */
    flush,
    /** What was handed over first of what still waits is judged. */
    done: (): void => {
      const first = handed.shift();
      waiting -= first?.steps ?? 0;
      bytes -= first?.bytes ?? 0;
    },
  };
}
