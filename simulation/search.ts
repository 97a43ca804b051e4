import type { PolicyTrial } from '../contract/simulation-result.ts';
import { seededRandom } from '../contract/seeded-random.ts';
import { VARIANTS, type Alteration } from '../reference-server/index.ts';
import { exactPolicy, jitterByShare, jitterBySeconds, type ClientPolicy } from './client-policy.ts';
import { outcomeOf } from './outcome.ts';
import type { RunningStorm, Storm } from './storm.ts';

/** What a search changes in a storm. */
export interface StormChange {
  readonly policy: string;
  readonly isGiven: boolean;
  readonly apply: (storm: Storm) => Storm;
}

const WINDOWS = [
  ['windows from the first request', null],
  ['windows at whole minutes', 'aligned-minute'],
  ['windows at moments of each key', 'aligned-minute-by-key'],
  ['sliding log', 'sliding-log'],
  ['sliding counter', 'sliding-counter'],
] as const;

const FORMS = [
  ['Retry-After in seconds', null, [0, 5, 15, 30, 60]],
  ['Retry-After as a date', 'retry-after-as-date', [0, 15]],
  ['Retry-After in whole minutes', 'retry-after-in-whole-minutes', [0]],
] as const;

/**
 * Policies of a server: how it counts, and how it says when to come back. The first is that of the storm.
 * @param open the limits of the storm without a choice of either
 */
export function serverChanges(storm: Storm, open: Storm['server']): readonly StormChange[] {
  const needed = neededSpread(storm);
  const changes = WINDOWS.flatMap(([window, windowVariant]) =>
    FORMS.flatMap(([form, formVariant, spreads]) =>
      spreadsWith(spreads, formVariant === null ? needed : null).map((spread): StormChange => ({
        policy: [window, form, ...(spread === 0 ? [] : [`spread over ${spread} s`])].join(', '),
        isGiven: false,
        apply: (given) => ({
          ...given,
          server: {
            ...open,
            alterations: [
              ...(open.alterations ?? []),
              ...VARIANTS.filter(({ id }) => id === windowVariant || id === formVariant).map(
                ({ alter }) => alter,
              ),
              ...(spread === 0 ? [] : [spreadRetryAfter(spread, given.seed)]),
            ],
          },
        }),
      })),
    ),
  );
  return [asGiven('the policy that was asked for'), ...changes];
}

/** Policies of a client that keep Retry-After. The first is the mix of the storm. */
export function clientChanges(storm: Storm): readonly StormChange[] {
  const policies: readonly ClientPolicy[] = [
    exactPolicy,
    ...[0.1, 0.5, 1].map(jitterByShare),
    ...spreadsWith([5, 15, 30, 60], neededSpread(storm)).map(jitterBySeconds),
  ];
  const [only] = storm.shares;
  const given = storm.shares.length === 1 ? only?.policy.name : undefined;
  return [
    asGiven(given ?? 'the mix that was asked for'),
    ...policies
      .filter(({ name }) => name !== given)
      .map((policy): StormChange => ({
        policy: policy.name,
        isGiven: false,
        apply: (storm) => ({ ...storm, shares: [{ policy, share: 1 }] }),
      })),
  ];
}

/** The trial of a storm that was played with a change. @param longestWait up to which it holds, in seconds */
export function trialOf(
  { policy, isGiven }: StormChange,
  storm: Storm,
  running: RunningStorm,
  longestWait: number,
): PolicyTrial {
  const { steps: _steps, stepSeconds: _length, clients: _clients, ...outcome } = outcomeOf(storm, running);
  return { policy, isGiven, holds: keepsWithinCapacity(outcome, longestWait), outcome };
}

/** Whether no returning request was dropped, late, or waited longer for a worker than that. */
export function keepsWithinCapacity(
  outcome: Pick<PolicyTrial['outcome'], 'returningFailed' | 'longestWait'>,
  longestWait: number,
): boolean {
  return outcome.returningFailed === 0 && outcome.longestWait.returning <= longestWait;
}

/** Of policies that drain about as soon as the quickest, the one with the lowest peak is better. */
const ABOUT_AS_SOON = 1.05;

/** Those that hold first: about the quickest by their peak, then the others as they drain. Then those that come nearest. */
export function ranked(trials: readonly PolicyTrial[]): readonly PolicyTrial[] {
  const holding = trials
    .filter(({ holds }) => holds)
    .toSorted(
      (one, other) => other.outcome.servedShare - one.outcome.servedShare || drain(one) - drain(other),
    );
  const [quickest] = holding;
  const quick = holding.filter(
    (trial) =>
      quickest !== undefined &&
      trial.outcome.servedShare === quickest.outcome.servedShare &&
      drain(trial) <= ABOUT_AS_SOON * drain(quickest),
  );
  const beyond = trials
    .filter(({ holds }) => !holds)
    .toSorted(
      (one, other) =>
        other.outcome.servedShare - one.outcome.servedShare ||
        one.outcome.longestWait.returning - other.outcome.longestWait.returning,
    );
  return [
    ...quick.toSorted(
      (one, other) => one.outcome.returningPeak.requests - other.outcome.returningPeak.requests,
    ),
    ...holding.slice(quick.length),
    ...beyond,
  ];
}

function drain({ outcome }: PolicyTrial): number {
  return outcome.drainSeconds ?? Number.MAX_VALUE;
}

function asGiven(policy: string): StormChange {
  return { policy, isGiven: true, apply: (storm) => storm };
}

/** Seconds over which the clients would have to come back if each sent one request. */
function neededSpread({ clients, service }: Storm): number {
  return Math.ceil((clients * service.serviceSeconds) / service.workers);
}

function spreadsWith(spreads: readonly number[], needed: number | null): readonly number[] {
  return [...new Set([...spreads, ...(needed === null || needed > 3_600 ? [] : [needed])])].toSorted(
    (one, other) => one - other,
  );
}

/** Adds whole seconds to each Retry-After at random, up to so many. */
function spreadRetryAfter(spread: number, seed: number): Alteration {
  return {
    parts: ({ retryAfter }) => {
      const random = seededRandom(seed);
      return { retryAfter: (seconds, now) => retryAfter(seconds + Math.floor(random() * (spread + 1)), now) };
    },
  };
}
