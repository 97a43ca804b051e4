import type { KeyState } from '../../stimuli/episodes/index.ts';

/** Which states of keys were reached, and by which ways. */
export interface StateCoverage {
  /** One way from a state to the next, or to the same again. */
  readonly note: (from: KeyState, to: KeyState) => void;
  readonly states: () => readonly StateVisits[];
  readonly transitions: () => readonly StateTransition[];
}

export interface StateVisits {
  readonly state: KeyState;
  readonly visits: number;
}

export interface StateTransition {
  readonly from: KeyState;
  readonly to: KeyState;
  readonly count: number;
}

/** All states, in the order in which a client may reach them. */
const KEY_STATES: readonly KeyState[] = [
  'fresh',
  'partly used',
  'at limit',
  'refused',
  'went on',
  'banned',
  'waited',
  'second window',
  'tenth window',
  'day nearly used',
  'day used',
  'revoked',
];

export function coverStates(): StateCoverage {
  const counts = new Map<KeyState, Map<KeyState, number>>();
  const countOf = (from: KeyState, to: KeyState): number => counts.get(from)?.get(to) ?? 0;
  return {
    note: (from, to) => {
      const row = counts.get(from) ?? new Map<KeyState, number>();
      counts.set(from, row);
      row.set(to, countOf(from, to) + 1);
    },
    states: () =>
      KEY_STATES.map((state) => ({
        state,
        visits: KEY_STATES.reduce(
          (sum, other) => sum + (state === 'fresh' ? countOf(state, other) : countOf(other, state)),
          0,
        ),
      })),
    transitions: () =>
      KEY_STATES.flatMap((from) =>
        KEY_STATES.map((to) => ({ from, to, count: countOf(from, to) })).filter(({ count }) => count > 0),
      ),
  };
}
