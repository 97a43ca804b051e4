import type { PlaceInWholeRun, Trail, TrailStep, WholeRun } from '../../../contract/trail.ts';
import type { TargetClient } from '../http/target-client.ts';
import { buildSteps } from './build-trail.ts';
import { wholeOf } from './parts-of-checks.ts';
import { renumberExpectation } from './renumber-expectation.ts';
import { originOf, usedSecrets, wroteTo } from './trail-of-finding.ts';

/** A whole run, and where findings stand in it. */
export interface WholeRunRecord {
  readonly run: WholeRun;
  /** `undefined` if the trail is all that was done, or is not of this run. */
  readonly placeOf: (trail: Trail) => PlaceInWholeRun | undefined;
}

/** What all checks of a run did. @returns `null` if nobody kept it, or it became too long */
export function wholeRunOf({
  log,
  clock,
  redactor,
  revokedKeys,
}: Pick<TargetClient, 'log' | 'clock' | 'redactor' | 'revokedKeys'>): WholeRunRecord | null {
  const whole = log === null ? null : wholeOf(log.ofRun);
  if (whole === null) {
    return null;
  }
  const { events, keys: known } = whole;
  const built = buildSteps({
    events,
    decisive: null,
    keys: known,
    revoked: usedSecrets(events, revokedKeys),
    clock,
    redact: redactor.redact,
  });
  const { keys, startedAt, steps, numberOf } = built;
  const sent = events.filter((event) => event.do === 'send' && !event.isRepeated).length;
  return {
    run: { keys, startedAt, steps: steps.map(withoutDetails), wrote: wroteTo(events) },
    placeOf: (trail) => {
      const origin = originOf(trail);
      const until = origin === undefined ? 0 : numberOf(origin.decisive);
      if (origin === undefined || until === 0 || origin.requests.length === sent) {
        return undefined;
      }
      const { requests } = origin;
      const expectation =
        trail.expectation === null
          ? null
          : renumberExpectation(trail.expectation, (number) => {
              const request = requests[number - 1];
              return request === undefined ? 0 : numberOf(request);
            });
      return { until, expectation };
    },
  };
}

/** Of thousands of answers, what a trail shows of them would be most of a report. */
function withoutDetails(step: TrailStep): TrailStep {
  return step.do === 'send'
    ? {
        ...step,
        requests: step.requests.map((request) => ({
          ...request,
          answers: request.answers.map(({ status, times }) => ({
            status,
            times,
            first: [],
            last: [],
            body: '',
          })),
        })),
      }
    : step;
}
