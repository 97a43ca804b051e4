import { hash, randomBytes } from 'node:crypto';

import { PLANS, type Plan, type PlanLimits } from '../../contract/plans.ts';
import type { KeyRecord } from '../service/key-store.ts';

export type KeyDirectory = ReturnType<typeof createKeyDirectory>;

/** The keys of the service by salted digest; how long a look takes says nothing of how much of a guess was right. */
export function createKeyDirectory() {
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
    salt: (): string => salt,
    /** Makes all earlier digests void. */
    useSalt: (agreed: string): void => {
      salt = agreed;
    },
    digestOf,
    /** The record of a valid key; the same object for as long as the service is not reset. */
    find: (key: string, digest: string): KeyRecord | undefined => {
      const text = texts.get(digest);
      if (text === undefined || isRevoked(text)) {
        return undefined;
      }
      return records.get(digest) ?? remember(digest, readRecord(key, text));
    },
    /** Whether a key was ever issued. */
    isKnown: (digest: string): boolean => texts.has(digest),
    /** The digest of a record that came from here; `undefined` for the others. */
    digestOfRecord: (record: KeyRecord): string | undefined => digests.get(record),
    /** Makes the record of a key that is being issued. */
    issue: (record: KeyRecord): KeyRecord => remember(digestOf(record.key), record),
    /** Takes over what Redis holds of one key. */
    put: (digest: string, text: string): void => {
      texts.set(digest, text);
    },
    /** Takes over all that Redis holds: digest, record, digest, record … */
    load: (words: readonly string[], wasReset: boolean): void => {
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
