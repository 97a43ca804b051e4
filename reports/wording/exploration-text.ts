import type { ReportedExploration } from '../model/report.ts';
import { countText } from './subject-text.ts';

/** What was explored, such as `3000 requests in 73 sequences with seed 1: 11 of 12 states of a key, 38 transitions`. */
export function explorationText({
  seed,
  requests,
  shrinking,
  episodes,
  states,
  transitions,
}: ReportedExploration): string {
  const reached = states.filter(({ visits }) => visits > 0).length;
  const more = shrinking === 0 ? '' : `; ${countText(shrinking, 'request')} more to shorten what was found`;
  return `${countText(requests, 'request')} in ${countText(episodes, 'sequence')} with seed ${seed}: ${reached} of ${countText(states.length, 'state')} of a key, ${countText(transitions.length, 'transition')}${more}`;
}

/** How often each state was reached, such as `fresh 132, partly used 2171, never banned`. */
export function statesText({ states }: ReportedExploration): string {
  return states
    .map(({ state, visits }) => (visits === 0 ? `never ${state}` : `${state} ${visits}`))
    .join(', ');
}

/** One violation that was found, with what it takes to see it. */
export function foundText({ requirement, requests, repeated }: ReportedExploration['found'][number]): string {
  if (repeated === null) {
    return `${requirement}: seen within ${countText(requests, 'request')}, which were not repeated`;
  }
  return repeated
    ? `${requirement}: shown by ${countText(requests, 'request')}`
    : `${requirement}: seen once in ${countText(requests, 'request')}, and not again when they were repeated`;
}
