import type { LoadRunListener } from '../../load/index.ts';
import type { EventLog } from '../shared/output/events.ts';

/** Passes everything on, and tells the log of a run's events. */
export function withLoadEvents(listener: LoadRunListener, { emit }: EventLog): LoadRunListener {
  return {
    ...listener,
    onNotice: (text) => {
      listener.onNotice(text);
      emit({ event: 'notice', text });
    },
    onScenarioStart: (started, announced) => {
      listener.onScenarioStart(started, announced);
      const { id, title } = started.scenario;
      emit({ event: 'scenario-start', id, title });
    },
    onScenarioEnd: (ended) => {
      listener.onScenarioEnd(ended);
      const { id, outcome, durationSeconds: seconds, spent: requests } = ended;
      emit({ event: 'scenario-end', id, outcome, seconds, requests });
    },
  };
}
