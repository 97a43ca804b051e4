import type { LimitWindow } from '../../contract/load-result.ts';
import { PLANS, type Plan } from '../../contract/plans.ts';
import { acceptedMix, AGREED_LIMITS, burstRequests, measureMinute } from '../../suites/burst.ts';
import type { Check } from '../../suites/check.ts';
import { comeBack } from '../../suites/come-back.ts';
import { isAccepted, type Exchange } from '../../suites/exchange.ts';
import { planningLimits, type Key } from '../../suites/keys.ts';
import type { Lab } from '../../suites/lab.ts';
import { report } from '../../suites/checks/minute-limits.ts';
import { smallKeys, useUp } from '../../suites/use-up.ts';
import { underLoad } from '../background.ts';
import { performAll } from '../perform-checks.ts';
import { NOTHING, type LoadScenario } from '../scenario.ts';

const BURST_CONNECTIONS = 100;
const MEASUREMENTS = 2;

type OnWindow = (window: LimitWindow) => void;

/** A minute's whole limit at once over many connections: as many are granted as the plan has, and the rest refused. */
function burstCheck(plan: Plan, onWindow: OnWindow): Check {
  const id = `minute-limit-${plan}` as const;
  return {
    id: `burst-${plan}`,
    title: `A ${plan} key is granted exactly its minute's limit in a burst over ${BURST_CONNECTIONS} connections`,
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
          requests: (limits) => MEASUREMENTS * burstRequests(limits, BURST_CONNECTIONS) + 2,
          ...(plan === 'enterprise' ? { agree: AGREED_LIMITS } : {}),
        },
      ],
      pets: 1,
      worksWithoutPets: true,
    },
    run: async (lab) => {
      const key = lab.key();
      const sentBefore = key.usage.sentAt.length;
      const measured = await measureMinute(
        lab,
        key,
        { manner: 'all at once', connections: BURST_CONNECTIONS, messages: acceptedMix(lab) },
        lab.virtualTime ? MEASUREMENTS : 1,
      );
      report(lab, measured, [id, 'limit-under-concurrency']);
      onWindow(windowOf(key, measured.burst.exchanges, key.usage.sentAt.length - sentBefore));
      const other = measured.burst.exchanges.find(
        (exchange) => !isAccepted(exchange) && ![401, 403, 429].includes(exchange.response.status),
      );
      lab.judge(
        'refusal-is-429',
        other === undefined,
        `A request of a burst beyond the limit was answered ${other?.response.status}, not 429.`,
        other,
      );
      if (measured.burst.refusal?.response.status === 429) {
        await comeBack(lab, key, measured.burst.refusal);
      }
    },
  };
}

function windowOf(key: Key, exchanges: readonly Exchange[], sent: number): LimitWindow {
  const accepted = exchanges.filter(isAccepted).length;
  return {
    key: key.label,
    plan: key.plan,
    window: 'minute',
    limit: planningLimits(key).perMinute,
    sent: Math.max(sent, exchanges.length),
    accepted,
    refused: exchanges.length - accepted,
    lost: Math.max(0, sent - exchanges.length),
  };
}

const PHASES = [0, 0.2, 0.4, 0.6, 0.8, 0.95, 10.3, 30.7, 50.1, 58.4];
const REFUSALS = 24;

/** Retry-After of the last of many refusals is true, whatever the moment of the window. */
const manyRefusals: Check = {
  id: 'many-refusals',
  title: 'After many refusals at once Retry-After is long enough, at any moment of the window',
  judges: ['retry-after-honoured', 'refusal-is-429'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: smallKeys(PHASES.length).map((need) => ({ ...need, requests: 9 + REFUSALS + 4 })),
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (lab) => {
    await Promise.all(
      lab.keys.map((key, index) => (key === null ? undefined : refuse(lab, key, PHASES[index] ?? 0))),
    );
  },
};

async function refuse(lab: Lab, key: Key, phase: number): Promise<void> {
  await useUp(lab, key);
  await lab.sleep(phase, 'another moment of the window');
  const [message] = acceptedMix(lab);
  if (message === undefined) {
    return;
  }
  // A few at first, and the last by itself: who goes on for long may be banned, and that is another matter.
  const refusals = await lab.sendAll(
    Array.from({ length: REFUSALS }, () => message),
    key,
    REFUSALS,
  );
  const last = refusals.toSorted((a, b) => a.receivedAt - b.receivedAt).at(-1);
  if (last?.response.status === 429) {
    await comeBack(lab, key, last, message);
  }
}

export const limitAccuracy: LoadScenario = {
  id: 'limit-accuracy',
  title: 'Each plan is granted exactly its limit, in bursts over many connections beside other load',
  uses: ['rate', 'connections', 'arrivals', 'seed'],
  defaults: { rate: 100 },
  thresholds: [],
  mayBan: true,
  writes: true,
  checks: [...PLANS.map((plan) => burstCheck(plan, () => {})), manyRefusals],
  announce: ({ rate }) => 30 * rate + 4_500,
  run: async (context) => {
    const windows: LimitWindow[] = [];
    const checks = [...PLANS.map((plan) => burstCheck(plan, (window) => windows.push(window))), manyRefusals];
    const { result, background } = await underLoad(context, () => performAll(context, checks));
    return {
      ...NOTHING,
      measurements: background === null ? [] : [background.measurement],
      windows: windows.toSorted((a, b) => a.limit - b.limit),
      notes: result.notes,
      inconclusive: result.inconclusive,
    };
  },
};
