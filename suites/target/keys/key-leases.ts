import type { Plan, PlanLimits } from '../../../contract/plans.ts';
import { newUsage, planningLimits, type Key } from '../../oracle/index.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Timekeeper } from '../control/timekeeper.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { TargetConfig } from '../configuration/target-config.ts';

/** A key that a check leases for as long as it runs. */
export interface KeyNeed {
  readonly plan: Plan | 'any';
  /**
   * `share`: stays within the limit; `spare`: the same, but only with what the checks that decide leave over;
   * `exhaust`: begins with a fresh window and may reach the limit;
   * `ban`: goes on after a 429, so that the key may get banned.
   */
  readonly use: 'share' | 'spare' | 'exhaust' | 'ban';
  /** Requests that the check makes with this key, at most. */
  readonly requests: number | ((limits: PlanLimits) => number);
  /** How often it may make them, each time in another window; once if it is not given. */
  readonly rounds?: number;
  /** Requests that shall count as made today already; only a key that was issued for the check has that. */
  readonly usedToday?: (limits: PlanLimits) => number;
  /** The check also runs without it. */
  readonly optional?: true;
  /** Of an optional need that exhausts a key: it gets a configured key that nothing else needs, or none. */
  readonly ifSpared?: true;
  /** Limits to agree with an enterprise key that is issued for the check. */
  readonly agree?: PlanLimits;
}

/** Whether a key that is leased for this stays within its limit. */
export function keepsLimit({ use }: KeyNeed): boolean {
  return use === 'share' || use === 'spare';
}

/** How many requests a need may take with a key of these limits. */
export function requestsOf(need: KeyNeed, limits: PlanLimits): number {
  return typeof need.requests === 'number' ? need.requests : need.requests(limits);
}

/** What takes keys for as long as it runs, as a check does. */
export interface KeyTaker {
  readonly needs: { readonly keys: readonly KeyNeed[] };
}

/** Hands out keys so that each is used by one check at a time. */
export interface KeyLeases {
  /** Waits until all needs can be met at once; `null` stands for an optional one that could not be met. */
  lease(needs: readonly KeyNeed[]): Promise<readonly (Key | null)[]>;
  release(key: Key): void;
  /** Whether keys are issued on demand. */
  readonly issues: boolean;
  /** Which configured keys may serve a need; empty if keys are issued. */
  candidates(need: KeyNeed): readonly Key[];
  /** Why a check cannot get its keys, or `null`. */
  obstacle(needs: readonly KeyNeed[]): string | null;
  /** This check will not run after all, so that no key waits for it. */
  withdraw(check: KeyTaker): void;
  /** To be called when the last check that only shares keys has its keys back. */
  sharingIsOver(): void;
}

/** A key for one need. */
export async function leaseOne(leases: KeyLeases, need: KeyNeed): Promise<Key> {
  const [key] = await leases.lease([need]);
  if (key === undefined || key === null) {
    throw new Error('No key could be leased');
  }
  return key;
}

/** Whether an issued key is saved: where a clock is moved as well, other checks judge what it would show. */
export function isSaved({ ifSpared }: KeyNeed, virtualTime: boolean): boolean {
  return ifSpared === true && virtualTime;
}

/** Limits that keys issued for an Enterprise check get, unless it agrees others. */
const ENTERPRISE_SAMPLE: PlanLimits = { perMinute: 90, perDay: 4_000 };

/** Plans by size, for a need that any plan meets. */
const ROOMY: readonly (readonly [most: number, plan: Plan])[] = [
  [50, 'free'],
  [250, 'pro'],
  [900, 'business'],
];

interface IssuedKeysOptions {
  readonly control: ControlClient;
  readonly configured: readonly Key[];
  /** Takes a key, and a moment no later than it was issued, in milliseconds of the timekeeper. */
  readonly learnKey: (key: Key, issuedAt: number) => void;
  readonly time: Pick<Timekeeper, 'now' | 'virtual'>;
}

/** A fresh key for every need, issued through the control URL. */
export function leaseIssuedKeys({ control, configured, learnKey, time }: IssuedKeysOptions): KeyLeases {
  const counts = new Map<Plan, number>();
  for (const { plan } of configured) {
    counts.set(plan, (counts.get(plan) ?? 0) + 1);
  }
  const issue = async (need: KeyNeed): Promise<Key> => {
    const plan = need.plan === 'any' ? planFor(need) : need.plan;
    const agreed = plan === 'enterprise' ? (need.agree ?? ENTERPRISE_SAMPLE) : null;
    const limits = agreed ?? planningLimits({ plan, limits: null });
    const usedToday = need.usedToday?.(limits) ?? 0;
    const issuedAt = time.now();
    const secret = await control.issueKey({ plan, ...agreed, ...(usedToday === 0 ? {} : { usedToday }) });
    const number = (counts.get(plan) ?? 0) + 1;
    counts.set(plan, number);
    const label = `${plan}#${number}`;
    const key: Key = { label, secret, plan, limits, issued: true, usedToday, usage: newUsage() };
    learnKey(key, issuedAt);
    return key;
  };
  return {
    issues: true,
    lease: (needs) =>
      Promise.all(needs.map(async (need) => (isSaved(need, time.virtual) ? null : issue(need)))),
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

/** The keys of a configuration as a run uses them; they and the revoked ones are hidden from now on. */
export function configuredKeys(config: TargetConfig, redactor: Redactor, isSpared = false): readonly Key[] {
  config.revokedKeys.forEach((key, index) => redactor.hide(key, `revoked#${index + 1}`));
  return config.keys.map(({ key, plan, limits, label, usage = newUsage() }) => {
    redactor.hide(key, label);
    return { label, secret: key, plan, limits, issued: false, usedToday: 0, isSpared, usage };
  });
}
