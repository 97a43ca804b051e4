import type { LoadSecond } from '../../contract/load-result.ts';
import type { SecondRecording } from '../figures/recorder.ts';
import { secondOf } from '../figures/recording.ts';
import { createCircuitBreaker, sumOfOutcomes } from '../judging/circuit-breaker.ts';
import { judgeJournals } from '../judging/judge-journals.ts';
import { countFor, type DivisibleLoad } from '../engine/load-model.ts';
import type { EngineProgress } from '../engine/engine-run.ts';
import type { TargetClient } from '../../suites/target/index.ts';
import type { Carrier, CommonLoad, ShardOutcome, ShardPlan } from './carrier.ts';
import { replayJudgements } from './recorded-judgements.ts';

/** A load that several generators share. */
export interface DividedLoad extends CommonLoad {
  /** Gets what the generators' monitors found. */
  readonly client: TargetClient;
  readonly expectsRefusals: boolean;
  readonly signal: AbortSignal;
  readonly onSecond: (second: LoadSecond) => void;
}

/** What all generators measured together. */
export type DividedRun = Awaited<ReturnType<typeof measureInShards>>;

/** Generators that share a load: threads of this process, or the workers of a fleet. */
export interface Generators {
  /** Gives each generator its share, starts all of them at the same moment, and collects what they measured. */
  readonly run: (divided: DividedLoad) => Promise<DividedRun>;
  /** Ends with a sentence as its reason when no more load can be given to them. */
  readonly lost: AbortSignal;
}

/** How far apart shards began, and by how much that may be wrong; in milliseconds. */
export interface StartSkew {
  readonly milliseconds: number;
  readonly uncertainty: number;
}

/** Those who carry a load together. */
export interface Crew {
  /** By the number of their shard. */
  readonly carriers: readonly Carrier[];
  /** What they are, such as `threads`. */
  readonly called: string;
  /** The time that all of them share, in milliseconds, and by how much it may be wrong here. */
  readonly now: () => number;
  readonly uncertainty: number;
  /** How long before the start they have to be told of it. */
  readonly leadMilliseconds: number;
  /** Who is missing and why, as the beginning of a sentence. @param start by the time that all share */
  readonly describeLoss: (shard: number, error: unknown, start: number | null) => string;
  /** How close together they began, in a sentence. */
  readonly describeStart: (skew: StartSkew) => string;
}

const LOOK_MILLISECONDS = 200;

/** How many may share a load: several learn of a 429 one after the other, and nothing is to follow that of a key that is spared. */
export function mostCarriers({ mix }: DivisibleLoad): number {
  return mix.some(({ key }) => key?.isSpared === true) ? 1 : Infinity;
}

function carriedAlone(called: string): string {
  return `One of the ${called} carried this load alone: several learn of a 429 one after the other, and only profile full goes on with a key after a 429.`;
}

/**
 * One measurement by a whole crew: shards, a common start, one judge of all keys, and the results of all.
 * @param onLoss is told in sentences if a carrier was lost
 */
export async function measureInShards(crew: Crew, divided: DividedLoad, onLoss: (message: string) => void) {
  const { carriers, called, now } = crew;
  const { client, load, movesClock, signal } = divided;
  const origin = now() - performance.now();
  const scope = { of: carriers.length, origin, movesClock };
  const judge = judgeJournals(client, load.mix, scope, (shard, bytes) => carriers[shard]?.judged(bytes));
  const losses = new Set<string>();
  let start: number | null = null;
  const stop = (): void => carriers.forEach((carrier) => carrier.stop());
  const lose = (shard: number, error: unknown): null => {
    // Before the start, whoever is told to stop is not missing.
    if (start !== null || (losses.size === 0 && !signal.aborted)) {
      losses.add(crew.describeLoss(shard, error, start));
      judge.abandon();
      stop();
    }
    return null;
  };
  const follow = followProgress(carriers, divided, stop);
  let outcomes: readonly (ShardOutcome | null)[] = carriers.map(() => null);
  try {
    const plan = shardPlanOf(divided, now(), crew.uncertainty);
    const ready = await Promise.all(
      carriers.map((carrier, index) =>
        carrier
          .prepare(plan, { index, of: carriers.length }, (part) => judge.accept(index, part))
          .then(
            () => true,
            (error: unknown) => lose(index, error) !== null,
          ),
      ),
    );
    if (ready.every(Boolean) && !signal.aborted) {
      const startsAt = now() + crew.leadMilliseconds;
      start = startsAt;
      outcomes = await Promise.all(
        carriers.map((carrier, index) =>
          carrier.begin(startsAt).catch((error: unknown) => lose(index, error)),
        ),
      );
      judge.end();
    }
  } finally {
    follow.end();
  }
  if (losses.size > 0) {
    onLoss([...losses].join(' '));
  }
  const skew = skewOf(outcomes.filter((outcome) => outcome !== null));
  return {
    ...addUp(divided, outcomes, start !== null),
    /** Why the load was ended, or `null`. */
    trip: follow.trip(),
    /** Why the figures are not valid, in sentences. */
    invalid: [...losses, ...problemOfSkew(skew, called)],
    /** In sentences. */
    notes: [
      ...(skew === null || losses.size > 0
        ? []
        : [mostCarriers(load) === 1 ? carriedAlone(called) : crew.describeStart(skew)]),
      ...describeCut(judge.cutAt(), start),
    ],
  };
}

/** @param now by the time that all shards share, in milliseconds, wrong by `uncertainty` at most */
function shardPlanOf(divided: DividedLoad, now: number, uncertainty: number): ShardPlan {
  const { load, target, client, movesClock, warmUpMilliseconds, budget } = divided;
  const span = client.clock.source === 'control' ? client.clock.at(client.time.now()) : undefined;
  return {
    target,
    load,
    secrets: client.redactor.secrets(),
    clock: span === undefined ? null : { at: now, span },
    warmUpMilliseconds,
    // Shards cannot judge Reset against a clock that stands still.
    movesClock: movesClock || !client.time.flows,
    budget,
    uncertainty,
  };
}

/**
 * What is missing of a load, in a sentence.
 * @param who with a verb at its end, such as `Worker w2, which had shard 2 of 3, 33 % of the load, was lost`
 */
export function sentenceOfLoss(who: string): string {
  return `${who}; none of its share is in these figures, so they are incomplete.`;
}

/** Tells what the carriers do, and ends it if they do harm or nobody wants it any more. */
function followProgress(
  carriers: readonly Carrier[],
  { expectsRefusals, signal, onSecond }: DividedLoad,
  stop: () => void,
) {
  const seconds = trackSeconds(carriers.length);
  const breaker = createCircuitBreaker(expectsRefusals, stop);
  const look = (): void => {
    const told = carriers.map(({ progress }) => progress());
    breaker.look(sumOfOutcomes(told.flatMap((one) => one?.outcomes ?? [])));
    seconds.look(told).forEach((second) => onSecond(second));
  };
  const ticker = setInterval(look, LOOK_MILLISECONDS);
  signal.addEventListener('abort', stop, { once: true });
  return {
    trip: breaker.trip,
    end: (): void => {
      clearInterval(ticker);
      look();
      signal.removeEventListener('abort', stop);
    },
  };
}

/** Adds up the seconds of so many shards. */
export function trackSeconds(of: number) {
  const open = new Map<number, Map<number, SecondRecording>>();
  let told = -1;
  return {
    /** Takes what each shard last said of itself. Returns the seconds that every shard has reported by now, each once. */
    look: (progress: readonly (EngineProgress | null)[]): readonly LoadSecond[] => {
      for (const [shard, latest] of progress.map((one) => one?.latest).entries()) {
        if (latest !== undefined && latest !== null && latest.second > told) {
          const parts = open.get(latest.second) ?? new Map<number, SecondRecording>();
          open.set(latest.second, parts.set(shard, latest.recording));
        }
      }
      const whole = [...open].filter(([second, parts]) => second > told && parts.size === of);
      told = Math.max(told, ...whole.map(([second]) => second));
      // Earlier seconds that a shard has not reported are dropped.
      [...open.keys()].filter((second) => second <= told).forEach((second) => open.delete(second));
      return whole.map(([second, parts]) => secondOf(second, [...parts.values()]));
    },
  };
}

/**
 * Adds up what the shards of a load measured and found.
 * @param outcomes by number of the shard; `null` for one that was lost
 */
function addUp(
  { client, budget }: DividedLoad,
  outcomes: readonly (ShardOutcome | null)[],
  hasStarted: boolean,
) {
  const present = outcomes.filter((outcome) => outcome !== null);
  present.forEach(({ notes }) => replayJudgements(notes, client.judgements));
  return {
    runs: present.map(({ run }) => run),
    /** Requests sent, at most. */
    spent: outcomes.reduce((sum, outcome, index) => {
      // Nobody knows what a lost shard has sent, up to all of it.
      const most = hasStarted ? countFor(budget, { index, of: outcomes.length }) : 0;
      return sum + (outcome?.spent ?? most);
    }, 0),
  };
}

// Shards that start farther apart do not follow the requested schedule.
const LARGEST_MILLISECONDS = 20;

/** `null` if there is no shard. */
export function skewOf(shards: readonly Pick<ShardOutcome, 'beganAt' | 'uncertainty'>[]): StartSkew | null {
  const beginnings = shards.map(({ beganAt }) => beganAt);
  const [worst = 0, second = 0] = shards
    .map(({ uncertainty }) => uncertainty)
    .toSorted((left, right) => right - left);
  return shards.length === 0
    ? null
    : {
        milliseconds: Math.max(...beginnings) - Math.min(...beginnings),
        // Two clocks are compared; their uncertainties add up.
        uncertainty: worst + second,
      };
}

/** @param who began, such as `workers` */
export function problemOfSkew(skew: StartSkew | null, who: string): readonly string[] {
  return skew === null || skew.milliseconds <= LARGEST_MILLISECONDS
    ? []
    : [`The ${who} began ${skew.milliseconds.toFixed(0)} ms apart, so this is not the requested schedule.`];
}

/** What is not judged, if judging could not keep up. */
function describeCut(cutAt: number | null, start: number | null): readonly string[] {
  if (cutAt === null || start === null) {
    return [];
  }
  const seconds = Math.max(0, (cutAt - start) / 1000).toFixed(1);
  return [
    `Limits, bans and refusals were judged until ${seconds} s after the start. More requests then waited to be judged than fit into memory; at a lower rate, all of them are judged.`,
  ];
}
