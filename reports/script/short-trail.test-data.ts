import type { Trail, TrailExpectation, TrailKey, TrailRequest } from '../../contract/trail.ts';
import { renderScript } from './render-script.ts';

/** A key of a trail, which was issued for it. */
export const TRAIL_KEY: TrailKey = {
  label: 'free#1',
  plan: 'free',
  perMinute: 60,
  perDay: 1_000,
  usedToday: 0,
  issued: true,
};

/** A list without a key, but for what is said of it. */
export function trailRequest(changes: Partial<TrailRequest> = {}): TrailRequest {
  return {
    method: 'GET',
    path: '/inventory',
    authorization: [],
    headers: [],
    body: null,
    operation: 'listInventory',
    key: null,
    times: 1,
    answers: [],
    ...changes,
  };
}

interface ShortTrail {
  readonly requests: readonly TrailRequest[];
  readonly expectation?: TrailExpectation;
  /** Those that were not revoked are issued in the beginning. */
  readonly keys?: readonly TrailKey[];
  /** Milliseconds after which all of it is sent. */
  readonly at?: number;
}

/** The script of a finding whose trail is a few requests, one after the other. */
export function scriptOfTrail(
  { requests, keys = [], at = 0, expectation = { expect: 'response', answer: 1 } }: ShortTrail,
  target: { readonly target: string; readonly control: string | null },
): string {
  const trail: Trail = {
    keys,
    startedAt: null,
    steps: [
      ...keys.flatMap(({ revoked }, index) =>
        revoked === true ? [] : [{ do: 'issue key', at: 0, key: index + 1 } as const],
      ),
      { do: 'send', at, connections: 1, requests },
    ],
    wrote: [],
    expectation,
    attempts: 1,
  };
  const finding = { id: 'x-1', requirement: 'x', title: 'X holds.', clause: 'X', message: 'No X.' };
  return renderScript({ ...finding, check: null, trail, wholeRun: null, exploration: null, ...target });
}
