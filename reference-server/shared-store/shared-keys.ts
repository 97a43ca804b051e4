import { hash, randomBytes } from 'node:crypto';

import { MINUTE_SECONDS, PLANS, type Plan, type PlanLimits } from '../../contract/plans.ts';
import type { SeedKey } from '../../fixtures/corpora/index.ts';
import { type BanRule, type Conduct, withBans } from '../service/bans.ts';
import { planLimits, type KeyRecord } from '../service/key-store.ts';
import { LIST_REQUEST } from '../service/messages.ts';
import { createRateLimiter, type RateLimiter } from '../service/rate-limiter.ts';
import { fixedWindow, type WindowProgress } from '../service/window.ts';

/** What the log has decided on the request of a valid key. */
export interface Ruling {
  readonly record: KeyRecord;
  /** What the key had used of its limits before, and after. */
  readonly before: string;
  readonly after: string;
  /** Unix seconds by the clock of the service. */
  readonly now: number;
}

/** One that was issued; the key itself is known once a request carries it. */
interface SharedKey extends KeyRecord {
  key: string;
  usage: string;
  isRevoked: boolean;
}

const UNUSED = '0 0 0 0 0 0';

export type SharedKeys = ReturnType<typeof createSharedKeys>;

/** The keys of a service by salted digest, and what they have used of their limits. */
export function createSharedKeys(ban: BanRule | false) {
  let salt = randomBytes(32).toString('hex');
  const keys = new Map<string, SharedKey>();
  let version = 0;

  const digestOf = (key: string): string => hash('sha256', salt + key);

  function put(digest: string, key: SharedKey): void {
    keys.set(digest, key);
    version += 1;
  }

  /** Does something to what a key has used. */
  function alter(digest: string, change: (limiter: RateLimiter, key: KeyRecord) => void): void {
    const key = keys.get(digest);
    if (key !== undefined) {
      const usage = readUsage(key.usage);
      change(resumeLimiter(usage, ban), key);
      key.usage = writeUsage(usage);
    }
  }

  return {
    salt: (): string => salt,
    digestOf,
    /** Changes with every issue, revocation and reset. */
    version: (): number => version,
    isIssued: (digest: string): boolean => keys.has(digest),
    /** The record of a valid key; the same object until the state begins anew. */
    find: (key: string): KeyRecord | undefined => {
      const found = keys.get(digestOf(key));
      return found === undefined || found.isRevoked ? undefined : Object.assign(found, { key });
    },
    /** The ordinary limiter, which goes on from what a key has used; `undefined` for a record from elsewhere. */
    limiterOf: (record: KeyRecord): RateLimiter | undefined => {
      const key = keys.get(digestOf(record.key));
      return key === record ? resumeLimiter(readUsage(key.usage), ban) : undefined;
    },
    begin: (agreed: string, seed: readonly SeedKey[]): void => {
      salt = agreed;
      keys.clear();
      version += 1;
      for (const { key, plan, revoked: isRevoked = false, ...some } of seed) {
        put(digestOf(key), { key, plan, limits: { ...planLimits(plan), ...some }, isRevoked, usage: UNUSED });
      }
    },
    issue: (digest: string, text: string, usage = UNUSED): void =>
      put(digest, { ...readRecord(text), usage }),
    revoke: (digest: string): void => {
      const key = keys.get(digest);
      if (key !== undefined) {
        put(digest, Object.assign(key, { isRevoked: true }));
      }
    },
    decide: (digest: string, now: number): Ruling | undefined => {
      const record = keys.get(digest);
      if (record === undefined || record.isRevoked) {
        return undefined;
      }
      const before = record.usage;
      alter(digest, (limiter, key) => limiter.decide(key, now, LIST_REQUEST));
      return { record, before, after: record.usage, now };
    },
    undo: (digest: string, before: string, after: string): void => {
      const key = keys.get(digest);
      if (key?.usage === after) {
        key.usage = before;
      } else if (readUsage(before).day.used !== readUsage(after).day.used) {
        alter(digest, (limiter, record) => limiter.giveBack(record));
      }
    },
    alter,
    list: () =>
      Array.from(keys, ([digest, { plan, limits, isRevoked, usage }]) => ({
        digest,
        text: writeRecord(plan, limits, isRevoked),
        usage,
      })),
  };
}

/** Plan, requests in a minute and in a day; a minus before that of a revoked key. */
export function writeRecord(plan: Plan, { perMinute, perDay }: PlanLimits, isRevoked = false): string {
  return `${isRevoked ? '-' : ''}${plan} ${perMinute} ${perDay}`;
}

function readRecord(text: string): Omit<SharedKey, 'usage'> {
  const [, minus, name, perMinute, perDay] = /^(-?)(\w+) (\d+) (\d+)$/.exec(text) ?? [];
  const plan = PLANS.find((candidate) => candidate === name);
  if (plan === undefined) {
    throw new TypeError(`Redis holds a key of no known plan: ${text}`);
  }
  const limits = { perMinute: Number(perMinute), perDay: Number(perDay) };
  return { key: '', plan, limits, isRevoked: minus === '-' };
}

/** What a key has used of its limits, and how it behaved. */
interface Usage {
  readonly minute: WindowProgress;
  readonly day: WindowProgress;
  readonly conduct: Conduct;
}

export function readUsage(text: string): Usage {
  const [minuteUsed = 0, minuteEnd = 0, dayUsed = 0, dayEnd = 0, refused = 0, bannedUntil = 0] = text
    .split(' ')
    .map(Number);
  return {
    minute: { used: minuteUsed, end: minuteEnd },
    day: { used: dayUsed, end: dayEnd },
    conduct: { refused, bannedUntil },
  };
}

function writeUsage({ minute, day, conduct }: Usage): string {
  return [minute.used, minute.end, day.used, day.end, conduct.refused, conduct.bannedUntil].join(' ');
}

/** The ordinary limiter for one key, which goes on from its usage and keeps that. */
export function resumeLimiter({ minute, day, conduct }: Usage, ban: BanRule | false): RateLimiter {
  const limiter = createRateLimiter(
    () => (limit, seconds) =>
      fixedWindow(limit, {
        endOf: (now) => now + seconds,
        progress: seconds === MINUTE_SECONDS ? minute : day,
      }),
  );
  return withBans(limiter, ban, () => conduct);
}
