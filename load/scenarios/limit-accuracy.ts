import type { LimitWindow } from '../../contract/load-result.ts';
import { PLANS, type Plan, type PlanLimits } from '../../contract/plans.ts';
import {
  AGREED_LIMITS,
  agreedKey,
  type Burst,
  burstRequests,
  documentedMix,
  type Check,
  honourRetryAfter,
  type CheckContext,
  cheapestRequest,
  takeInTurns,
  useUpMinute,
} from '../../suites/verify/index.ts';
import {
  isAccepted,
  planningLimits,
  secondsUntilClean,
  secondsUntilFresh,
  type Exchange,
  type Key,
} from '../../suites/oracle/index.ts';
import { checkUnderLoad } from '../measuring/checks-under-load.ts';
import type { LoadScenario } from '../scenario.ts';

const BURST_CONNECTIONS = 100;
// Of virtual time, one is measured again if it is not plain.
const MEASUREMENTS = 2;
const MINUTES = 3;

type OnWindow = (window: LimitWindow) => void;

/** A minute's whole limit at once over many connections: as many are granted as the plan has, and the rest refused. */
function burstCheck(plan: Plan, onWindow: OnWindow): Check {
  const id = `minute-limit-${plan}` as const;
  return {
    id: `burst-${plan}`,
    title: `${plan === 'enterprise' ? 'An' : 'A'} ${plan} key gets exactly its per-minute limit in a burst over ${BURST_CONNECTIONS} connections`,
    judges: [
      id,
      'limit-under-concurrency',
      'refusal-is-429',
      'retry-after-honoured',
      'ban-only-after-continued',
    ],
    needs: {
      profile: 'full',
      keys: [
        {
          plan,
          use: 'exhaust',
          requests: (limits) => MINUTES * burstRequests(limits),
          ...(plan === 'enterprise' ? { agree: AGREED_LIMITS } : {}),
        },
      ],
      pets: 1,
      worksWithoutPets: true,
    },
    run: async (context) => {
      const key = context.key();
      const messages = documentedMix(context);
      const useUp = async (attempts: number, endsOneByOne = false): Promise<Exchange | null> => {
        const manner = 'all at once';
        const options = { manner, connections: BURST_CONNECTIONS, messages, endsOneByOne } as const;
        const burst = await useUpMinute(context, key, options, attempts);
        onWindow(windowOf(key, burst));
        return burst.refusal?.response.status === 429
          ? honourRetryAfter(context, key, burst.refusal)
          : burst.refusal;
      };
      // Nobody may call it abuse to be refused once, so that a ban would be a violation.
      const back = await useUp(1, true);
      if (back !== null && isAccepted(back) && secondsUntilFresh(key, context.now()) === 0) {
        // If windows are too short, a minute has two of them, and if they are too long, the next is not there in a minute.
        const rest = takeInTurns(messages, planningLimits(key).perMinute - 1);
        const exchanges = await context.sendAll(rest, key, BURST_CONNECTIONS);
        onWindow(windowOf(key, { exchanges, lost: 0, alreadyGranted: 1 }));
      }
      await context.sleep(secondsUntilClean(key, context.now()), `a fresh window for ${key.label}`);
      await useUp(context.virtualTime ? MEASUREMENTS : 1);
    },
  };
}

function windowOf(
  key: Key,
  { exchanges, lost, alreadyGranted }: Pick<Burst, 'exchanges' | 'lost' | 'alreadyGranted'>,
): LimitWindow {
  const accepted = exchanges.filter(isAccepted).length;
  return {
    key: key.label,
    plan: key.plan,
    window: 'minute',
    limit: planningLimits(key).perMinute,
    sent: alreadyGranted + exchanges.length + lost,
    accepted: alreadyGranted + accepted,
    refused: exchanges.length - accepted,
    lost,
  };
}

const PHASES = [0, 0.2, 0.4, 0.6, 0.8, 0.95, 10.3, 30.7, 50.1, 58.4];
const SINGLE_REFUSAL_LIMITS: PlanLimits = { perMinute: 60, perDay: 900 };

/**
 * Retry-After is true while many requests are under way, whatever the moment of the window. One check for each
 * moment, since a check that slept twice at once would let the clock move while others are at work.
 */
const refusalsAmongMany: readonly Check[] = PHASES.map((phase) => ({
  id: `refusal-among-many-${phase}`,
  title: 'Under load, Retry-After is long enough at any moment of the window',
  judges: ['retry-after-honoured', 'ban-only-after-continued'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [agreedKey(SINGLE_REFUSAL_LIMITS, SINGLE_REFUSAL_LIMITS.perMinute + 4)],
    pets: 1,
    worksWithoutPets: true,
  },
  run: (context) => refuseOne(context, context.key(), phase),
}));

/** One request more than the limit, so that a single one is refused and nobody may call it abuse. */
async function refuseOne(context: CheckContext, key: Key, phase: number): Promise<void> {
  const message = cheapestRequest(context);
  await context.send(message, { key });
  await context.sleep(phase, 'another moment of the window');
  const rest = planningLimits(key).perMinute;
  const answers = await context.sendAll(
    Array.from({ length: rest }, () => message),
    key,
    rest,
  );
  const refusals = answers.filter(({ response }) => response.status === 429);
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === 1) {
    await honourRetryAfter(context, key, refusal, message);
  }
}

const MANY_KEYS = 80;

/** Many keys at their limit at the same time are counted each by itself. */
function manyKeysCheck(): Check {
  return {
    id: 'many-keys',
    title: `${MANY_KEYS} keys that use up their per-minute limit at the same time each get exactly that limit`,
    judges: ['minute-limit-enterprise', 'limit-under-concurrency'],
    needs: {
      profile: 'full',
      control: ['keys'],
      keys: Array.from({ length: MANY_KEYS }, () =>
        agreedKey(FEW_LIMITS, MOST_ROUNDS * (FEW_LIMITS.perMinute + 3)),
      ),
      pets: 1,
      worksWithoutPets: true,
      alone: true,
    },
    run: async (context) => {
      const keys = context.keys.filter((key) => key !== null);
      for (let round = 1; round <= MOST_ROUNDS; round += 1) {
        const isExceeded = await goBeyondAll(context, keys);
        if (!isExceeded || !context.virtualTime) {
          return;
        }
        // A boundary of a window may have come in between; not so at another phase.
        await context.sleep(TWO_WINDOWS_SECONDS, 'another phase of the minute');
      }
    },
  };
}

/**
 * Sends each key's next request when all keys have got their answer, so that as many keys are under way as there are.
 * @returns whether a key was granted more than its limit
 */
async function goBeyondAll(context: CheckContext, keys: readonly Key[]): Promise<boolean> {
  const { perMinute } = FEW_LIMITS;
  const granted = keys.map(() => 0);
  for (let sent = 0; sent < perMinute + 2; sent += 1) {
    await Promise.all(
      keys.map(async (key, index) => {
        const exchanges = await context.sendAll([cheapestRequest(context)], key, MANY_KEYS);
        granted[index] = (granted[index] ?? 0) + exchanges.filter(isAccepted).length;
      }),
    );
  }
  return granted.some((count) => count > perMinute);
}

const MOST_ROUNDS = 3;
// Other than a multiple of a minute, and long enough for a sliding counter to forget.
const TWO_WINDOWS_SECONDS = 135;
const FEW_LIMITS: PlanLimits = { perMinute: 12, perDay: 900 };

export const limitAccuracy: LoadScenario = {
  id: 'limit-accuracy',
  title: 'Each plan gets exactly its limit, in bursts over many connections under load',
  isUsual: true,
  uses: ['rate', 'connections', 'arrivals', 'seed'],
  defaults: { rate: 100 },
  thresholds: [],
  mayBan: true,
  writes: true,
  announce: ({ rate }) => 30 * rate + 10_000,
  run: async (context) => {
    const windows: LimitWindow[] = [];
    const checks = [
      ...PLANS.map((plan) => burstCheck(plan, (window) => windows.push(window))),
      ...refusalsAmongMany,
      manyKeysCheck(),
    ];
    const result = await checkUnderLoad(context, checks);
    return { ...result, windows: windows.toSorted((a, b) => a.limit - b.limit) };
  },
};
