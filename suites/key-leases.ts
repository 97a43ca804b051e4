import { PLANS, type Plan, type PlanLimits } from '../contract/plans.ts';
import { requestsOf, type Check, type KeyNeed } from './check.ts';
import type { ControlClient } from './control-client.ts';
import { newUsage, planningLimits, secondsUntilClean, secondsUntilRoom, type Key } from './keys.ts';
import type { Timekeeper } from './timekeeper.ts';

/** Hands out keys so that each is used by one check at a time. */
export interface KeyLeases {
  /** Waits until all needs can be met at once; `null` stands for an optional one that could not. */
  lease(needs: readonly KeyNeed[]): Promise<readonly (Key | null)[]>;
  release(key: Key): void;
  /** Which configured keys may serve a need; empty where keys are issued on demand. */
  candidates(need: KeyNeed): readonly Key[];
  /** Why a check can't get its keys, or `null`. */
  obstacle(needs: readonly KeyNeed[]): string | null;
  /** To be called when the last check that only shares keys has its keys back. */
  sharingIsOver(): void;
}

/** Limits that keys issued for an Enterprise check get, unless it agrees others. */
const ENTERPRISE_SAMPLE: PlanLimits = { perMinute: 90, perDay: 4_000 };

/** Plans by size, for a need that any plan meets. */
const ROOMY: readonly (readonly [most: number, plan: Plan])[] = [
  [50, 'free'],
  [250, 'pro'],
  [900, 'business'],
];

export interface IssuedKeysOptions {
  readonly control: ControlClient;
  readonly configured: readonly Key[];
  readonly hide: (secret: string, label: string) => void;
}

/** A fresh key for every need, issued through the control URL. */
export function leaseIssuedKeys({ control, configured, hide }: IssuedKeysOptions): KeyLeases {
  const counts = new Map<Plan, number>();
  for (const { plan } of configured) {
    counts.set(plan, (counts.get(plan) ?? 0) + 1);
  }
  const issue = async (need: KeyNeed): Promise<Key> => {
    const plan = need.plan === 'any' ? planFor(need) : need.plan;
    const agreed = plan === 'enterprise' ? (need.agree ?? ENTERPRISE_SAMPLE) : null;
    const limits = agreed ?? planningLimits({ plan, limits: null });
    const usedToday = need.usedToday?.(limits) ?? 0;
    const secret = await control.issueKey({ plan, ...agreed, ...(usedToday === 0 ? {} : { usedToday }) });
    const number = (counts.get(plan) ?? 0) + 1;
    counts.set(plan, number);
    const label = `${plan}#${number}`;
    hide(secret, label);
    return { label, secret, plan, limits, issued: true, usedToday, usage: newUsage() };
  };
  return {
    lease: (needs) => Promise.all(needs.map(issue)),
    release: () => {},
    candidates: () => [],
    obstacle: () => null,
    sharingIsOver: () => {},
  };
}

function planFor(need: KeyNeed): Plan {
  if (need.use !== 'share') {
    return 'free';
  }
  const enough = ROOMY.find(([most]) => typeof need.requests === 'number' && need.requests <= most);
  return enough?.[1] ?? 'business';
}

/** The configured keys, each leased to one check at a time and given back with a window to spare. */
export function leaseConfiguredKeys(
  keys: readonly Key[],
  checks: readonly Check[],
  time: Timekeeper,
): KeyLeases {
  const assignment = assign(keys, checks);
  const leased = new Set<Key>();
  const claims: Claim[] = [];
  let sharing = true;

  const candidates = (need: KeyNeed): readonly Key[] => {
    const fitting = keys.filter((key) => fits(key, need));
    switch (need.use) {
      case 'ban':
        return fitting.filter((key) => key === assignment.ban);
      case 'exhaust':
        return fitting.filter((key) => key === assignment.exhausted.get(key.plan));
      case 'share':
        return fitting;
    }
  };

  const available = (need: KeyNeed, taken: readonly Key[]): Key | undefined => {
    const open = candidates(need).filter(
      (key) =>
        !leased.has(key) &&
        !taken.includes(key) &&
        !(need.use !== 'share' && sharing && key === assignment.sharedFirst),
    );
    if (need.use !== 'share') {
      return open[0];
    }
    const now = time.now();
    const waitOf = (key: Key): number => secondsUntilRoom(key, roomFor(key, need), now);
    return open
      .filter((key) => !claims.some(({ needs }) => needs.some((other) => isAwaited(key, other))))
      .toSorted((a, b) => waitOf(a) - waitOf(b))[0];
  };

  /** A key that a waiting check could exhaust right now is left to it. */
  const isAwaited = (key: Key, other: KeyNeed): boolean =>
    other.use !== 'share' && candidates(other).includes(key) && !(sharing && key === assignment.sharedFirst);

  /** One key for each need, `null` where an optional one can't be met; `undefined` where the claim has to wait. */
  const match = (needs: readonly KeyNeed[]): readonly (Key | null)[] | undefined => {
    const taken: Key[] = [];
    const matched: (Key | null)[] = [];
    for (const need of needs) {
      const key = available(need, taken);
      if (key !== undefined) {
        taken.push(key);
      } else if (need.optional !== true) {
        return undefined;
      }
      matched.push(key ?? null);
    }
    return matched;
  };

  const grant = (): void => {
    for (const claim of [...claims]) {
      const matched = match(claim.needs);
      if (matched !== undefined) {
        claims.splice(claims.indexOf(claim), 1);
        for (const key of matched) {
          if (key !== null) {
            leased.add(key);
          }
        }
        claim.grant(matched);
      }
    }
  };

  return {
    candidates,
    lease: async (needs) => {
      let granted: readonly (Key | null)[] = [];
      const { parked, resume } = time.park();
      claims.push({
        needs,
        grant: (taken) => {
          granted = taken;
          resume();
        },
      });
      claims.sort((a, b) => urgency(a.needs) - urgency(b.needs));
      grant();
      await parked;
      await Promise.all(
        granted.map(async (key, index) => {
          const need = needs[index];
          if (key === null || need === undefined) {
            return;
          }
          const now = time.now();
          const seconds =
            need.use === 'share'
              ? secondsUntilRoom(key, roomFor(key, need), now)
              : Math.max(secondsUntilClean(key, now), secondsUntilRoom(key, 1, now));
          if (seconds > 0) {
            await time.sleep(seconds, `a fresh window for ${key.label}`);
          }
        }),
      );
      return granted;
    },
    release: (key) => {
      leased.delete(key);
      grant();
    },
    obstacle: (needs) => obstacle(keys, assignment, needs),
    sharingIsOver: () => {
      sharing = false;
      grant();
    },
  };
}

interface Claim {
  readonly needs: readonly KeyNeed[];
  readonly grant: (taken: readonly (Key | null)[]) => void;
}

interface Assignment {
  /** The key that gets banned, where one can be spared. */
  readonly ban: Key | null;
  readonly exhausted: ReadonlyMap<Plan, Key>;
  /** A key that is exhausted only after all sharing, because no other key is left for that. */
  readonly sharedFirst: Key | null;
}

function assign(keys: readonly Key[], checks: readonly Check[]): Assignment {
  const exhausts = checks.some(({ needs }) => needs.keys.some(({ use }) => use !== 'share'));
  if (!exhausts) {
    return { ban: null, exhausted: new Map(), sharedFirst: null };
  }
  const exhausted = new Map<Plan, Key>();
  for (const plan of PLANS) {
    const first = keys.find((key) => key.plan === plan);
    if (first !== undefined) {
      exhausted.set(plan, first);
    }
  }
  const bySize = keys.toSorted((a, b) => planningLimits(a).perMinute - planningLimits(b).perMinute);
  const spare = bySize.filter((key) => exhausted.get(key.plan) !== key);
  const ban = keys.length > 1 ? (spare[0] ?? bySize[0] ?? null) : null;
  const unassigned = spare.some((key) => key !== ban);
  return { ban, exhausted, sharedFirst: unassigned ? null : (bySize.at(-1) ?? null) };
}

/** A ban takes longest, then what needs whole windows; the roomier of two others goes first. */
function urgency(needs: readonly KeyNeed[]): number {
  if (needs.some(({ use }) => use === 'ban')) {
    return 0;
  }
  return needs.some(({ use }) => use === 'exhaust') ? 1 : 2;
}

function roomFor(key: Key, need: KeyNeed): number {
  return Math.min(requestsOf(need, planningLimits(key)), planningLimits(key).perMinute);
}

function fits(key: Key, need: KeyNeed): boolean {
  const planFits = need.plan === 'any' || key.plan === need.plan;
  const limits = planningLimits(key);
  return planFits && (need.use !== 'share' || requestsOf(need, limits) < limits.perMinute);
}

function obstacle(keys: readonly Key[], assignment: Assignment, needs: readonly KeyNeed[]): string | null {
  const demanded = needs.filter(({ optional }) => optional !== true);
  for (const need of demanded) {
    if (need.usedToday !== undefined || need.agree !== undefined) {
      return 'It needs a key with usedToday, which only a control URL with "keys" can issue.';
    }
    if (!keys.some((key) => fits(key, need))) {
      return need.plan === 'any'
        ? 'No configured key has enough requests a minute for it.'
        : `No ${need.plan} key was given (--key ${need.plan}=…).`;
    }
    if (need.use === 'ban' && assignment.ban === null) {
      return 'A ban is provoked only where a second key stays usable; give one more key.';
    }
  }
  return demanded.length > keys.length ? 'It needs more keys than were given.' : null;
}
