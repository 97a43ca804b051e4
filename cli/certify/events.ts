import type { CertifyListener } from '../../suites/certify/index.ts';
import type { EventLog } from '../shared/output/events.ts';

/** The listener, which also tells the log of a run's events. */
export function withScenarioEvents(listener: CertifyListener, { emit }: EventLog): CertifyListener {
  return {
    ...listener,
    onScenarioStart: (scenario, counterparty) => {
      emit({ event: 'scenario-start', id: scenario.id, title: scenario.title });
      listener.onScenarioStart?.(scenario, counterparty);
    },
    onScenarioEnd: (record) => {
      emit({
        event: 'scenario-end',
        id: record.scenario.id,
        outcome: record.judgement.outcome,
        seconds: record.durationSeconds,
        requests: record.traffic.exchanges.length,
      });
      listener.onScenarioEnd?.(record);
    },
  };
}
