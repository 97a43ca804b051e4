import {
  describeDay,
  isDayShort,
  planningLimits,
  secondsUntilFresh,
  secondsUntilRoom,
  TWO_WINDOWS_SECONDS,
  type Key,
} from '../../oracle/index.ts';
import { LONGEST_REAL_WAIT_SECONDS, type Timekeeper } from '../control/timekeeper.ts';
import { assign, obstacleOf, serves } from './key-assignment.ts';
import { type KeyLeases, keepsLimit, requestsOf, type KeyNeed, type KeyTaker } from './key-leases.ts';

/** A check that only adds observations is left out if it would make a run in real time outlast two windows. */
export class NoRoomLeft extends Error {
  override readonly name = 'NoRoomLeft';
}

/** The keys that are leased, and the leases that wait for one. */
type LeaseState = ReturnType<typeof openState>;

interface Claim {
  readonly needs: readonly KeyNeed[];
  readonly grant: (taken: Granted) => void;
}

/** A key for each need; `null` stands for an optional one that cannot be met. */
type Granted = readonly (Key | null)[];

/** The configured keys, each leased to one check at a time and given back with a window to spare. */
export function leaseConfiguredKeys(
  keys: readonly Key[],
  checks: readonly KeyTaker[],
  time: Timekeeper,
): KeyLeases {
  const state = openState(keys, checks, time);
  const { assignment, leased, exhausting } = state;
  const claims: Claim[] = [];
  const grant = (): void => {
    for (const claim of claims.splice(0)) {
      const matched = match(state, claim.needs);
      if (matched === undefined) {
        claims.push(claim);
      } else {
        lend(state, claim.needs, matched);
        claim.grant(matched);
      }
    }
  };
  const release = (key: Key): void => {
    leased.delete(key);
    if (exhausting.delete(key)) {
      addPending(state, key, -1);
    }
    grant();
  };
  return {
    issues: false,
    candidates: (need) => candidatesOf(state, need),
    lease: async (needs) => {
      let granted: Granted = [];
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
        await untilReady(state, granted, needs);
        return granted;
      } catch (error) {
        if (claims.includes(claim)) {
          claims.splice(claims.indexOf(claim), 1);
        }
        granted.filter((key) => key !== null).forEach(release);
        throw error;
      }
    },
    release,
    obstacle: (needs) => obstacleOf(keys, assignment, needs),
    withdraw: (check) => {
      for (const key of keysToExhaust(state, check)) {
        addPending(state, key, -1);
      }
      grant();
    },
    sharingIsOver: () => {
      state.sharing = false;
      grant();
    },
  };
}

function openState(keys: readonly Key[], checks: readonly KeyTaker[], time: Timekeeper) {
  const assignment = assign(keys, checks);
  const state = {
    keys,
    assignment,
    time,
    /** When the leases were opened, in milliseconds of the timekeeper. */
    began: time.now(),
    leased: new Set<Key>(),
    /** Those of the leased keys that may reach their limit. */
    exhausting: new Set<Key>(),
    /** How many checks have yet to exhaust a key. */
    pending: new Map<Key, number>(),
    /** Whether checks that only share keys are still to come. */
    sharing: true,
  };
  const runnable = checks.filter(({ needs }) => obstacleOf(keys, assignment, needs.keys) === null);
  for (const key of runnable.flatMap((check) => keysToExhaust(state, check))) {
    addPending(state, key, 1);
  }
  return state;
}

function candidatesOf(
  { keys, assignment }: Pick<LeaseState, 'keys' | 'assignment'>,
  need: KeyNeed,
): readonly Key[] {
  return keys.filter((key) => serves(key, need, assignment));
}

function keysToExhaust(state: LeaseState, { needs }: KeyTaker): readonly Key[] {
  return needs.keys.flatMap((need) => (keepsLimit(need) ? [] : candidatesOf(state, need)));
}

function addPending({ pending }: LeaseState, key: Key, count: number): void {
  pending.set(key, (pending.get(key) ?? 0) + count);
}

/** A key for each need, or `undefined` if the claim has to wait. */
function match(state: LeaseState, needs: readonly KeyNeed[]): Granted | undefined {
  const choiceOf = (need: KeyNeed): number => candidatesOf(state, need).length;
  const matched: Granted[number][] = needs.map(() => null);
  // The need with the least choice goes first: its only key may be gone else, and nobody would ever give that back.
  const order = [...needs.entries()].toSorted(
    ([, a], [, b]) => Number(a.optional ?? false) - Number(b.optional ?? false) || choiceOf(a) - choiceOf(b),
  );
  for (const [index, need] of order) {
    const key = available(state, need, matched);
    if (key !== undefined) {
      matched[index] = key;
    } else if (need.optional !== true) {
      return undefined;
    }
  }
  return matched;
}

/** The needs that were met, each with its key. */
function metNeeds(needs: readonly KeyNeed[], granted: Granted) {
  return needs.flatMap((need, index) => {
    const key = granted[index] ?? null;
    return key === null ? [] : [{ need, key }];
  });
}

function lend({ leased, exhausting }: LeaseState, needs: readonly KeyNeed[], granted: Granted): void {
  for (const { need, key } of metNeeds(needs, granted)) {
    leased.add(key);
    if (!keepsLimit(need)) {
      exhausting.add(key);
    }
  }
}

/** The best key that a need can have now. */
function available(state: LeaseState, need: KeyNeed, taken: Granted): Key | undefined {
  const { leased, exhausting, time } = state;
  const candidates = candidatesOf(state, need);
  const open = candidates.filter(
    (key) => !leased.has(key) && !taken.includes(key) && isOpenTo(state, need, key),
  );
  const now = time.now();
  const roomOf = (key: Key): number =>
    key.usage.isBanned ? Number.POSITIVE_INFINITY : secondsUntilRoom(key, roomFor(key, need), now);
  const waitOf = (key: Key): number => (keepsLimit(need) ? roomOf(key) : 0);
  const best = open.toSorted((a, b) => waitOf(a) - waitOf(b))[0];
  // A key that another check will give back soon is better than a wait for a window.
  const isWorthWaiting =
    best !== undefined &&
    waitOf(best) > 1 &&
    candidates.some((key) => leased.has(key) && !exhausting.has(key) && waitOf(key) === 0);
  if (isWorthWaiting) {
    return undefined;
  }
  // A key that is banned, for long or nobody knows how long, is left alone as long as another one may come free.
  const longest = time.virtual ? Number.MAX_VALUE : LONGEST_REAL_WAIT_SECONDS;
  const isHopeless =
    best !== undefined && (waitOf(best) > longest || isTooLate(state, need.use === 'spare', waitOf(best)));
  return isHopeless && candidates.some((key) => leased.has(key)) ? undefined : best;
}

/** A key that is to be exhausted is kept fresh for that; the one key that serves both is shared first. */
function isOpenTo({ sharing, assignment, pending }: LeaseState, need: KeyNeed, key: Key): boolean {
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
}

/** One sleep for all keys of a claim: a participant that slept twice at once would count as two. */
async function untilReady(
  { time, began }: LeaseState,
  granted: Granted,
  needs: readonly KeyNeed[],
): Promise<void> {
  const met = metNeeds(needs, granted);
  const [longest] = met
    .map(({ need, key }) => ({ key, seconds: secondsUntilReady(key, need, time.now()) }))
    .toSorted((a, b) => b.seconds - a.seconds);
  if (longest === undefined) {
    return;
  }
  const short = met.find(({ need, key }) => isDayShort(key, roomFor(key, need), time.now()));
  if (!time.virtual && short !== undefined) {
    throw new NoRoomLeft(describeDay(short.key, time.now()));
  }
  const isSpare = needs.some(({ use }) => use === 'spare');
  if (isTooLate({ time, began }, isSpare, longest.seconds)) {
    throw new NoRoomLeft('No key had room left for it within two windows.');
  }
  if (longest.seconds > 0) {
    await time.sleep(longest.seconds, `a fresh window for ${longest.key.label}`);
  }
}

/** Whether a check that only adds observations would have the run outlast two windows. */
function isTooLate(
  { time, began }: Pick<LeaseState, 'time' | 'began'>,
  isSpare: boolean,
  wait: number,
): boolean {
  return !time.virtual && isSpare && wait > 1 && (time.now() - began) / 1000 + wait > TWO_WINDOWS_SECONDS;
}

function secondsUntilReady(key: Key, need: KeyNeed, now: number): number {
  return keepsLimit(need) ? secondsUntilRoom(key, roomFor(key, need), now) : secondsUntilFresh(key, now);
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
