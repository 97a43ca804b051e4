import type { LoadRunListener } from '../../load/index.ts';
import type { EventLog } from '../shared/output/events.ts';

/** Tells the log of a run's events. */
export function loadEvents({ emit }: EventLog): LoadRunListener {
  return {
    onNotice: (text) => emit({ event: 'notice', text }),
    onScenarioStart: ({ scenario: { id, title } }) => emit({ event: 'scenario-start', id, title }),
    onPhase: () => undefined,
    onSecond: () => undefined,
    onScenarioEnd: ({ id, outcome, durationSeconds: seconds, spent: requests }) =>
      emit({ event: 'scenario-end', id, outcome, seconds, requests }),
  };
}
