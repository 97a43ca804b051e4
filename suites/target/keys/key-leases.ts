import { PLANS, type Plan, type PlanLimits } from '../../../contract/plans.ts';
import { keepsLimit, requestsOf, type KeyNeed, type KeyTaker } from './key-need.ts';
import type { ControlClient } from '../control/control-client.ts';
import {
  newUsage,
  planningLimits,
  secondsUntilFresh,
  secondsUntilRoom,
  TWO_WINDOWS_SECONDS,
  type Key,
} from '../../oracle/index.ts';
import { LONGEST_REAL_WAIT_SECONDS, type Timekeeper } from '../control/timekeeper.ts';

/** Hands out keys so that each is used by one check at a time. */
export interface KeyLeases {
  /** Waits until all needs can be met at once; `null` stands for an optional one that could not. */
  lease(needs: readonly KeyNeed[]): Promise<readonly (Key | null)[]>;
  release(key: Key): void;
  /** Which configured keys may serve a need; empty where keys are issued on demand. */
  candidates(need: KeyNeed): readonly Key[];
  /** Why a check can't get its keys, or `null`. */
  obstacle(needs: readonly KeyNeed[]): string | null;
  /** This check will not run after all, so that no key waits for it. */
  withdraw(check: KeyTaker): void;
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
    withdraw: () => {},
    sharingIsOver: () => {},
  };
}

function planFor(need: KeyNeed): Plan {
  if (!keepsLimit(need)) {
    return 'free';
  }
  const enough = ROOMY.find(([most]) => typeof need.requests === 'number' && need.requests <= most);
  return enough?.[1] ?? 'business';
}

/** What is nice to know is left out where it would make a run in real time outlast two windows. */
export class NoRoomLeft extends Error {
  override readonly name = 'NoRoomLeft';
}

/** The configured keys, each leased to one check at a time and given back with a window to spare. */
export function leaseConfiguredKeys(
  keys: readonly Key[],
  checks: readonly KeyTaker[],
  time: Timekeeper,
): KeyLeases {
  const assignment = assign(keys, checks);
  const leased = new Set<Key>();
  const began = time.now();
  const claims: Claim[] = [];
  /** How many checks have yet to exhaust a key. */
  const pending = new Map<Key, number>();
  const exhausting = new Set<Key>();
  let sharing = true;

  const candidates = (need: KeyNeed): readonly Key[] => keys.filter((key) => serves(key, need, assignment));

  const runnable = checks.filter(({ needs }) => obstacle(keys, assignment, needs.keys) === null);
  for (const need of runnable.flatMap(({ needs }) => needs.keys)) {
    for (const key of keepsLimit(need) ? [] : candidates(need)) {
      pending.set(key, (pending.get(key) ?? 0) + 1);
    }
  }

  const available = (need: KeyNeed, taken: readonly Key[]): Key | undefined => {
    const open = candidates(need).filter(
      (key) => !leased.has(key) && !taken.includes(key) && isOpenTo(need, key),
    );
    const now = time.now();
    const waitOf = (key: Key): number =>
      keepsLimit(need) ? secondsUntilRoom(key, roomFor(key, need), now) : 0;
    const best = open.toSorted((a, b) => waitOf(a) - waitOf(b))[0];
    // A key that another check will give back soon is better than a wait for a window.
    const isWorthWaiting =
      best !== undefined &&
      waitOf(best) > 1 &&
      candidates(need).some((key) => leased.has(key) && !exhausting.has(key) && waitOf(key) === 0);
    if (isWorthWaiting) {
      return undefined;
    }
    // A key that is banned for long is left to itself while another one may come free.
    const isHopeless = best !== undefined && !time.virtual && waitOf(best) > LONGEST_REAL_WAIT_SECONDS;
    return isHopeless && candidates(need).some((key) => leased.has(key)) ? undefined : best;
  };

  /** A key that is to be exhausted is kept fresh for that; the one key that serves both is shared first. */
  const isOpenTo = (need: KeyNeed, key: Key): boolean => {
    const isSharedFirst = sharing && key === assignment.sharedFirst;
    const isDone = (pending.get(key) ?? 0) === 0;
    switch (need.use) {
      case 'share':
        return isSharedFirst || isDone;
      case 'spare':
        return isDone && !isSharedFirst;
      case 'exhaust':
      case 'ban':
        return !isSharedFirst;
    }
  };

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
    const waiting = claims.splice(0);
    for (const claim of waiting) {
      const matched = match(claim.needs);
      if (matched === undefined) {
        claims.push(claim);
        continue;
      }
      for (const [index, key] of matched.entries()) {
        if (key !== null) {
          leased.add(key);
          const need = claim.needs[index];
          if (need !== undefined && !keepsLimit(need)) {
            exhausting.add(key);
          }
        }
      }
      claim.grant(matched);
    }
  };

  const release = (key: Key): void => {
    leased.delete(key);
    if (exhausting.delete(key)) {
      pending.set(key, (pending.get(key) ?? 0) - 1);
    }
    grant();
  };

  const secondsUntilReady = (key: Key, need: KeyNeed): number =>
    keepsLimit(need)
      ? secondsUntilRoom(key, roomFor(key, need), time.now())
      : secondsUntilFresh(key, time.now());

  /** One sleep for all keys of a claim: a participant that slept twice at once would count as two. */
  const untilReady = async (granted: readonly (Key | null)[], needs: readonly KeyNeed[]): Promise<void> => {
    const waits = needs.flatMap((need, index) => {
      const key = granted[index];
      return key === null || key === undefined ? [] : [{ key, seconds: secondsUntilReady(key, need) }];
    });
    const longest = waits.toSorted((a, b) => b.seconds - a.seconds)[0];
    const end = (time.now() - began) / 1000 + (longest?.seconds ?? 0);
    if (
      !time.virtual &&
      needs.some(({ use }) => use === 'spare') &&
      longest !== undefined &&
      longest.seconds > 1 &&
      end > TWO_WINDOWS_SECONDS
    ) {
      throw new NoRoomLeft('No key had room left for it within two windows.');
    }
    if (longest !== undefined && longest.seconds > 0) {
      await time.sleep(longest.seconds, `a fresh window for ${longest.key.label}`);
    }
  };

  return {
    candidates,
    lease: async (needs) => {
      let granted: readonly (Key | null)[] = [];
      const { parked, resume } = time.park();
      const claim: Claim = {
        needs,
        grant: (taken) => {
          granted = taken;
          resume();
        },
      };
      claims.push(claim);
      claims.sort((a, b) => urgency(a.needs) - urgency(b.needs));
      grant();
      try {
        await parked;
        await untilReady(granted, needs);
        return granted;
      } catch (error) {
        if (claims.includes(claim)) {
          claims.splice(claims.indexOf(claim), 1);
        }
        for (const key of granted) {
          if (key !== null) {
            release(key);
          }
        }
        throw error;
      }
    },
    release,
    obstacle: (needs) => obstacle(keys, assignment, needs),
    withdraw: (check) => {
      for (const need of check.needs.keys) {
        for (const key of keepsLimit(need) ? [] : candidates(need)) {
          pending.set(key, (pending.get(key) ?? 0) - 1);
        }
      }
      grant();
    },
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

function assign(keys: readonly Key[], checks: readonly KeyTaker[]): Assignment {
  const exhausts = checks.some(({ needs }) => needs.keys.some((need) => !keepsLimit(need)));
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
  if (needs.some(({ use }) => use === 'exhaust')) {
    return 1;
  }
  return needs.some(({ use }) => use === 'share') ? 2 : 3;
}

function roomFor(key: Key, need: KeyNeed): number {
  return Math.min(requestsOf(need, planningLimits(key)), planningLimits(key).perMinute);
}

function fits(key: Key, need: KeyNeed): boolean {
  const planFits = need.plan === 'any' || key.plan === need.plan;
  const limits = planningLimits(key);
  return planFits && (!keepsLimit(need) || requestsOf(need, limits) < limits.perMinute);
}

function obstacle(keys: readonly Key[], assignment: Assignment, needs: readonly KeyNeed[]): string | null {
  const demanded = needs.filter(({ optional }) => optional !== true);
  for (const need of demanded) {
    if (need.usedToday !== undefined) {
      return 'It needs a key with usedToday, which only a control URL with "keys" can issue.';
    }
    if (!keys.some((key) => fits(key, need))) {
      return need.plan === 'any'
        ? 'No configured key has enough requests a minute for it.'
        : `No ${need.plan} key was given (--key ${need.plan}=…).`;
    }
    if (need.plan === 'enterprise' && keys.every((key) => key.plan !== need.plan || key.limits === null)) {
      return 'The limits of the enterprise key were not given (key, perMinute, perDay).';
    }
    if (need.use === 'ban' && assignment.ban === null) {
      return 'A ban is provoked only where a second key stays usable; give one more key.';
    }
  }
  const candidatesOf = (need: KeyNeed): readonly Key[] => keys.filter((key) => serves(key, need, assignment));
  return canAllBeMet(demanded.map(candidatesOf)) ? null : 'It needs more keys than were given.';
}

/** Whether each need can have a key of its own. */
function canAllBeMet([candidates, ...others]: readonly (readonly Key[])[]): boolean {
  return (
    candidates === undefined ||
    candidates.some((key) => canAllBeMet(others.map((keys) => keys.filter((other) => other !== key))))
  );
}

/** Whether that key is one that the need may be given. */
function serves(key: Key, need: KeyNeed, { ban, exhausted }: Assignment): boolean {
  switch (need.use) {
    case 'ban':
      return fits(key, need) && key === ban;
    case 'exhaust':
      return fits(key, need) && key === exhausted.get(key.plan);
    case 'share':
    case 'spare':
      return fits(key, need);
  }
}
