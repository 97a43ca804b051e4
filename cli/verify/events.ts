import type { RunListener } from '../../suites/verify/index.ts';
import type { EventLog } from '../shared/output/events.ts';

/** The listener, which also tells the log of a run's events. */
export function withEvents(listener: RunListener, { emit }: EventLog): RunListener {
  return {
    ...listener,
    onPlan: (plan) => {
      emit({ event: 'plan', checks: plan.checks.map(({ id }) => id), requests: plan.budget.total });
      listener.onPlan?.(plan);
    },
    onCheckStart: (check) => {
      emit({ event: 'check-start', id: check.id, title: check.title });
      listener.onCheckStart?.(check);
    },
    onCheckEnd: (summary) => {
      const { check, outcome, durationSeconds: seconds, requests } = summary;
      emit({ event: 'check-end', id: check.id, outcome, seconds, requests });
      listener.onCheckEnd?.(summary);
    },
    onFailure: (failure) => {
      const { id: requirement, level, message } = failure;
      emit({ event: 'failure-seen', requirement, level, message });
      listener.onFailure?.(failure);
    },
    onNotice: (text) => {
      emit({ event: 'notice', text });
      listener.onNotice?.(text);
    },
  };
}
