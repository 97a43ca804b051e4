import { hash, randomBytes } from 'node:crypto';

import { PLAN_LIMITS, type Plan, type PlanLimits } from '../../contract/plans.ts';
import type { SeedKey } from '../../fixtures/corpora/index.ts';

/** A key that was issued; the same object for as long as the key is valid. */
export interface KeyRecord {
  readonly key: string;
  readonly plan: Plan;
  readonly limits: PlanLimits;
}

export interface KeyStore {
  /** The record of a valid key; `undefined` for one that was never issued or was revoked. */
  readonly find: (key: string) => KeyRecord | undefined;
  /** Changes with every issue, revocation and reset; what `find` said holds for as long as it stays the same. */
  readonly version: () => number;
  /** Issues a random key of 144 bits. */
  readonly issue: (plan: Plan, limits: Partial<PlanLimits>) => KeyRecord;
  /** @returns whether such a key was ever issued */
  readonly revoke: (key: string) => boolean;
  /** Only the keys at start, in their state at start. */
  readonly reset: () => void;
}

/** Limits of an Enterprise key for which none were agreed. */
const ENTERPRISE_LIMITS: PlanLimits = { perMinute: 5_000, perDay: 500_000 };

interface StoredKey {
  readonly record: KeyRecord;
  revoked: boolean;
}

/** @param seed the keys at start */
export function createKeyStore(seed: readonly SeedKey[]): KeyStore {
  // Looked up by salted digest: how long a lookup takes says nothing of how much of a guess was right.
  const salt = randomBytes(32).toString('hex');
  const digestOf = (key: string): string => hash('sha256', salt + key);
  const stored = new Map<string, StoredKey>();
  let version = 0;

  function add(key: string, plan: Plan, limits: Partial<PlanLimits>, revoked: boolean): KeyRecord {
    const record = { key, plan, limits: { ...planLimits(plan), ...limits } };
    stored.set(digestOf(key), { record, revoked });
    version += 1;
    return record;
  }

  function reset(): void {
    stored.clear();
    version += 1;
    for (const { key, plan, revoked = false, ...limits } of seed) {
      add(key, plan, limits, revoked);
    }
  }

  reset();
  return {
    find: (key) => {
      const found = stored.get(digestOf(key));
      return found === undefined || found.revoked ? undefined : found.record;
    },
    version: () => version,
    issue: (plan, limits) => add(makeKey(plan), plan, limits, false),
    revoke: (key) => {
      const found = stored.get(digestOf(key));
      if (found === undefined) {
        return false;
      }
      found.revoked = true;
      version += 1;
      return true;
    },
    reset,
  };
}

/** A random key of 144 bits. */
export function makeKey(plan: Plan): string {
  return `${plan}-${randomBytes(18).toString('base64url')}`;
}

/** Limits of a plan if no others were agreed. */
export function planLimits(plan: Plan): PlanLimits {
  return plan === 'enterprise' ? ENTERPRISE_LIMITS : PLAN_LIMITS[plan];
}
