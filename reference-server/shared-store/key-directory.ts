import { hash, randomBytes } from 'node:crypto';

import { PLANS, type Plan, type PlanLimits } from '../../contract/plans.ts';
import type { KeyRecord } from '../service/key-store.ts';

/** The keys of the service by salted digest; how long a look takes says nothing of how much of a guess was right. */
export interface KeyDirectory {
  readonly salt: () => string;
  /** Makes all earlier digests void. */
  readonly useSalt: (salt: string) => void;
  readonly digestOf: (key: string) => string;
  /** The record of a valid key; the same object for as long as the service is not reset. */
  readonly find: (key: string, digest: string) => KeyRecord | undefined;
  /** Whether a key was ever issued. */
  readonly isKnown: (digest: string) => boolean;
  /** The digest of a record that came from here; `undefined` for the others. */
  readonly digestOfRecord: (record: KeyRecord) => string | undefined;
  /** Makes the record of a key that is being issued. */
  readonly issue: (key: string, plan: Plan, limits: PlanLimits) => KeyRecord;
  /** Takes over what Redis holds of one key. */
  readonly put: (digest: string, text: string) => void;
  /** Takes over all that Redis holds: digest, record, digest, record … */
  readonly load: (words: readonly string[], wasReset: boolean) => void;
}

export function createKeyDirectory(): KeyDirectory {
  let salt = randomBytes(32).toString('hex');
  let texts = new Map<string, string>();
  let records = new Map<string, KeyRecord>();
  const digests = new WeakMap<KeyRecord, string>();

  const digestOf = (key: string): string => hash('sha256', salt + key);

  function remember(digest: string, record: KeyRecord): KeyRecord {
    records.set(digest, record);
    digests.set(record, digest);
    return record;
  }

  return {
    salt: () => salt,
    useSalt: (agreed) => {
      salt = agreed;
    },
    digestOf,
    find: (key, digest) => {
      const text = texts.get(digest);
      if (text === undefined || isRevoked(text)) {
        return undefined;
      }
      return records.get(digest) ?? remember(digest, readRecord(key, text));
    },
    isKnown: (digest) => texts.has(digest),
    digestOfRecord: (record) => digests.get(record),
    issue: (key, plan, limits) => remember(digestOf(key), { key, plan, limits }),
    put: (digest, text) => {
      texts.set(digest, text);
    },
    load: (words, wasReset) => {
      texts = new Map();
      for (let index = 0; index < words.length; index += 2) {
        texts.set(words[index] ?? '', words[index + 1] ?? '');
      }
      if (wasReset) {
        records = new Map();
      }
    },
  };
}

/** What Redis holds of a key: plan, requests in a minute and in a day; a minus before that of a revoked one. */
export function writeRecord(plan: Plan, { perMinute, perDay }: PlanLimits, revoked = false): string {
  return `${revoked ? '-' : ''}${plan} ${perMinute} ${perDay}`;
}

function isRevoked(text: string): boolean {
  return text.startsWith('-');
}

function readRecord(key: string, text: string): KeyRecord {
  const [name, perMinute, perDay] = text.split(' ');
  const plan = PLANS.find((candidate) => candidate === name);
  if (plan === undefined) {
    throw new TypeError(`Redis holds a key of no known plan: ${name}`);
  }
  return { key, plan, limits: { perMinute: Number(perMinute), perDay: Number(perDay) } };
}
