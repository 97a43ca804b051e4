import type { PlaceInWholeRun, Trail, TrailStep, WholeRun } from '../../../contract/trail.ts';
import type { TargetClient } from '../http/target-client.ts';
import { buildSteps, type BuiltSteps } from './build-trail.ts';
import { wholeOf } from './parts-of-checks.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import { countSent, originOf, usedSecrets, wroteTo } from './trail-of-finding.ts';

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
  const revoked = usedSecrets(events, revokedKeys);
  const built = buildSteps({
    events,
    decisive: null,
    keys: known,
    revoked,
    clock,
    redact: redactor.redact,
  });
  const { keys, startedAt, steps, numberOf } = built;
  const sent = countSent(events);
  return {
    run: { keys, startedAt, steps: steps.map(withoutDetails), wrote: wroteTo(events) },
    placeOf: (trail) => {
      const origin = originOf(trail);
      const until = origin === undefined ? 0 : numberOf(origin.decisive);
      if (origin === undefined || until === 0 || origin.requests === sent) {
        return undefined;
      }
      const { decisive, expectIn } = origin;
      return { until, ...expectIn({ events: upTo(events, decisive, built), keys: known, revoked, built }) };
    },
  };
}

/** Together with what is under way with the decisive request whenever the run is sent again. */
function upTo(
  events: readonly LoggedEvent[],
  decisive: LoggedRequest,
  { rowOf }: BuiltSteps,
): readonly LoggedEvent[] {
  const [from] = rowOf(decisive);
  const last = events.findLastIndex((event) => event.do === 'send' && rowOf(event)[0] === from);
  return events.slice(0, last + 1);
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
