import type { StormOutcome } from '../contract/simulation-result.ts';
import { outcomeOf } from './outcome.ts';
import { createPopulation } from './population.ts';
import type { Storm } from './storm.ts';
import { createTally } from './tally.ts';

/** A request that a real client made; seconds since its storm began. */
export interface RecordedRequest {
  readonly client: number;
  readonly sentSeconds: number;
  readonly answeredSeconds: number;
  readonly kind: 'granted' | 'refused' | 'banned' | 'dropped' | 'late';
}

/** What became of a storm of real clients who all had the first policy, in the figures of one that was played. */
export function recordedOutcome(storm: Storm, requests: readonly RecordedRequest[]): StormOutcome {
  const { clients, requestsEach, durationSeconds } = storm;
  const population = createPopulation(clients, storm.shares.slice(0, 1), () => 0);
  const tally = createTally(clients, durationSeconds);
  let last = 0;
  for (const { client, sentSeconds, answeredSeconds, kind } of requests.toSorted(
    (one, other) => one.sentSeconds - other.sentSeconds,
  )) {
    const isReturning = population.isReturning[client] === 1;
    tally.sent(sentSeconds, isReturning, 0);
    population.sent[client] = (population.sent[client] ?? 0) + 1;
    last = Math.max(last, answeredSeconds);
    switch (kind) {
      case 'granted': {
        const granted = (population.granted[client] ?? 0) + 1;
        population.granted[client] = granted;
        tally.granted(answeredSeconds);
        if (granted === requestsEach) {
          population.servedAt[client] = answeredSeconds;
          tally.served(answeredSeconds);
        }
        break;
      }
      case 'dropped':
      case 'late':
        population.isReturning[client] = 1;
        tally[kind](answeredSeconds, isReturning);
        break;
      case 'banned':
        population.wasBanned[client] = 1;
        population.isReturning[client] = 1;
        tally.refused(answeredSeconds);
        break;
      case 'refused':
        population.isReturning[client] = 1;
        tally.refused(answeredSeconds);
        break;
    }
  }
  return outcomeOf(storm, { population, tally, seconds: () => last });
}
