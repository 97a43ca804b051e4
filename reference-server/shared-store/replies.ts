import type { Position, Snapshot } from './replica.ts';

/** What every script says that could use the state. */
export interface Reply extends Position {
  /** Unix seconds, by the clock of the service. */
  readonly now: number;
  /** Grows with each run of a script. */
  readonly sequence: number;
  /** Changes with every issue and revocation of a key and every reset. */
  readonly keysVersion: number;
  /** Whether `changes` leads from the process's position to this one; else it has to load everything. */
  readonly isComplete: boolean;
  readonly changes: readonly string[];
  /** What the script says beyond that. */
  readonly further: readonly unknown[];
}

/** `other`: the state is that of another epoch, or gone; `resuming`: Redis was started a moment ago. */
export type Obstacle = 'other' | 'lost' | 'resuming';

export function readScriptReply(value: unknown): Reply | Obstacle {
  const [status, now, sequence, generation, version, keysVersion, isComplete, changes, ...further] =
    asList(value);
  if (status === 'other' || status === 'lost' || status === 'resuming') {
    return status;
  }
  return {
    now: asNumber(now),
    sequence: asNumber(sequence),
    generation: asNumber(generation),
    version: asNumber(version),
    keysVersion: asNumber(keysVersion),
    isComplete: isComplete === '1',
    changes: asTexts(changes),
    further,
  };
}

export function readSnapshot({ generation, version, further }: Reply): Snapshot {
  const [base, resets, entries, records, quantities] = further;
  return {
    generation,
    version,
    base: asText(base),
    resets: asNumber(resets),
    entries: asTexts(entries),
    records: asTexts(records),
    quantities: asTexts(quantities),
  };
}

/** What `join` says. */
export type MembershipReply =
  | { readonly status: 'lost' }
  /** The service there is another one. */
  | { readonly status: 'configuration' }
  | {
      readonly status: 'ok';
      readonly epoch: string;
      readonly sequence: number;
      /** Until decisions are made again. */
      readonly waitSeconds: number;
    };

export function readMembershipReply(value: unknown): MembershipReply {
  const [status, epoch, sequence, waitSeconds] = asList(value);
  return status === 'lost' || status === 'configuration'
    ? { status }
    : {
        status: 'ok',
        epoch: asText(epoch),
        sequence: asNumber(sequence),
        waitSeconds: asNumber(waitSeconds),
      };
}

/** What Redis says of one request. */
export interface LimiterReply {
  readonly now: number;
  readonly keysVersion: number;
  /** The key's usage before and after the decision; `undefined` if the key is not valid. */
  readonly usage: { readonly before: string; readonly after: string } | undefined;
}

export function readLimiterReply({ now, keysVersion, further }: Reply): LimiterReply {
  const [isValid, before, after] = further;
  return {
    now,
    keysVersion,
    usage: isValid === '1' ? { before: asText(before), after: asText(after) } : undefined,
  };
}

function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new TypeError('Redis gave a reply that is no list');
  }
  return value;
}

function asText(value: unknown): string {
  if (typeof value !== 'string') {
    throw new TypeError('Redis gave a reply that is no text');
  }
  return value;
}

function asNumber(value: unknown): number {
  return Number(asText(value));
}

function asTexts(value: unknown): readonly string[] {
  return asList(value).map(asText);
}
