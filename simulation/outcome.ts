import type { ClientsOutcome, RequestsPerClient, StormOutcome } from '../contract/simulation-result.ts';
import type { Population } from './population.ts';
import type { RunningStorm, Storm } from './storm.ts';

/** A plot has at most so many points. */
const MOST_STEPS = 240;

/** What became of a storm that was played. */
export function outcomeOf(storm: Storm, { population, tally, seconds }: RunningStorm): StormOutcome {
  const { clients } = storm;
  const servedAt = population.servedAt.filter((at) => !Number.isNaN(at)).toSorted();
  const isServed = servedAt.length === clients;
  const last = servedAt.at(-1) ?? 0;
  const { first: firstPeak, returning: returningPeak } = tally.peaks();
  const timeOf = (share: number): number | null => servedAt[Math.ceil(share * clients) - 1] ?? null;
  return {
    drainSeconds: isServed ? last : null,
    servedShare: servedAt.length / clients,
    servedBy: { p50: timeOf(0.5), p90: timeOf(0.9), p99: timeOf(0.99) },
    requests: tally.requests(),
    requestsPerClient: perClient(population.sent),
    firstPeak,
    returningPeak,
    longestWait: { ...tally.longestWait() },
    returningFailed: tally.returningFailed(),
    bannedShare: countOnes(population.wasBanned) / clients,
    gaveUpShare: countOnes(population.gaveUp) / clients,
    clients: storm.shares.map((_, index) => outcomeOfPolicy(storm, population, index)),
    ...tally.steps(Math.max(isServed ? last : seconds(), last), MOST_STEPS),
  };
}

function outcomeOfPolicy({ shares }: Storm, population: Population, index: number): ClientsOutcome {
  const isOf = (_value: number, client: number): boolean => population.policy[client] === index;
  const sent = population.sent.filter(isOf);
  const servedAt = population.servedAt
    .filter(isOf)
    .filter((at) => !Number.isNaN(at))
    .toSorted();
  const { name = '', title = '' } = shares[index]?.policy ?? {};
  return {
    policy: `${name}: ${title}`,
    clients: sent.length,
    served: servedAt.length,
    gaveUp: countOnes(population.gaveUp.filter(isOf)),
    banned: countOnes(population.wasBanned.filter(isOf)),
    requestsPerClient: perClient(sent),
    medianServedSeconds: servedAt[Math.ceil(servedAt.length / 2) - 1] ?? null,
  };
}

function perClient(sent: Uint32Array): RequestsPerClient {
  const ordered = sent.toSorted();
  const sum = ordered.reduce((total, count) => total + count, 0);
  const at = (share: number): number => ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)] ?? 0;
  return {
    mean: ordered.length === 0 ? 0 : sum / ordered.length,
    p50: at(0.5),
    p99: at(0.99),
    max: ordered.at(-1) ?? 0,
  };
}

function countOnes(flags: Uint8Array): number {
  return flags.reduce((sum, value) => sum + value, 0);
}
