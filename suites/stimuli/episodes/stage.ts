import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import { type CredentialVariant, credentialVariants } from '../../../fixtures/corpora/index.ts';
import {
  planningLimits,
  type Exchange,
  isAccepted,
  secondsToWait,
  type Key,
  type ServerClock,
} from '../../oracle/index.ts';
import { type Credentials, NoResponse } from '../../target/index.ts';
import type { CheckContext, Facts } from '../check-context.ts';
import { asRevoked, NO_KEY } from '../provoking/refused-key.ts';
import { entryAt } from './dice.ts';
import type { Episode, Lane, PlannedCredential, PlannedRequest } from './episode.ts';

/** What episodes are played on: one episode at a time. */
export type Stage = ReturnType<typeof setStage>;

/**
 * The stage of a check that plays episodes, on keys and inventories of their own.
 * @param onLost finds out whether the target still answers, after a request that got no response
 */
export function setStage(context: CheckContext, onLost: () => Promise<void>) {
  const { control, facts } = context;
  let petIds: readonly bigint[] = [];
  let keys: readonly FollowedKey[] = [];
  let requests = 0;
  const followed = (slot: number): FollowedKey => entryAt(keys, slot);
  /** Lets seconds of the server's time pass. */
  const wait = async (seconds: number): Promise<void> => {
    if (seconds > 0) {
      await context.sleep(seconds, 'the explorer');
    }
  };
  /** Unix seconds by the server's clock, if they are known. */
  const serverTime = (): number | undefined => context.clock.at(context.now())?.earliest;
  const replaceInventory = async (inventory: Episode['inventory']): Promise<void> => {
    petIds = inventory.map(({ petId }) => petId);
    await control?.replaceInventory(inventory);
  };
  return {
    wait,
    serverTime,
    replaceInventory,
    followed,
    /** Lets time pass until the episode begins, fills its inventory and issues its keys. */
    set: async (episode: Episode): Promise<void> => {
      await wait(secondsUntilStart(episode, serverTime()));
      await replaceInventory(episode.inventory);
      const issued = await Promise.all(episode.keys.map((need) => context.issue(need)));
      keys = issued.map(followKey);
    },
    /** Sends one request; without a response it is judged whether one was due. */
    send: async ({ key: slot, operation, credential }: PlannedRequest, lane: Lane): Promise<void> => {
      const connections =
        lane === 'shared' ? 1 : lane === 'own' ? (`own ${slot % keys.length}` as const) : lane;
      const key = followed(slot);
      requests += 1;
      try {
        const credentials = credentialsOf(key, credential, facts);
        const exchange = await context.send(operation(petIds), credentials, connections);
        if (credential === null) {
          key.note(exchange, context.clock);
        }
      } catch (error) {
        if (!(error instanceof NoResponse)) {
          throw error;
        }
        await context.reportDropped(error).catch((left: unknown) => {
          // An episode goes on, whatever that proves.
          if (left !== error) {
            throw left;
          }
        });
        await onLost();
      }
    },
    revoke: async (slot: number): Promise<void> => {
      const one = followed(slot);
      one.revocation = 'under way';
      await control?.revokeKey(one.key.secret);
      one.revocation = 'done';
    },
    now: () => context.now(),
    /** Requests so far. */
    requests: (): number => requests,
  };
}

function secondsUntilStart({ start }: Episode, now: number | undefined): number {
  if (start === null || now === undefined) {
    return 0;
  }
  const [length, moment] =
    start.of === 'minute' ? [MINUTE_SECONDS, start.second] : [DAY_SECONDS, DAY_SECONDS - start.secondsLeft];
  return (((moment - now) % length) + length) % length;
}

type FollowedKey = ReturnType<typeof followKey>;

/** Follows a key that was issued just now, as its client sees it. */
function followKey(key: Key) {
  const { perMinute, perDay } = planningLimits(key);
  const acceptedAt: number[] = [];
  let isRefused = false;
  let retryAt = 0;
  const acceptedWithin = (milliseconds: number, now: number): number => {
    const first = acceptedAt.findIndex((moment) => moment > now - milliseconds);
    return first === -1 ? 0 : acceptedAt.length - first;
  };
  const followed: Followed = { key, revocation: 'none' };
  return Object.assign(followed, {
    /** Requests that it may still send now, by the count of its client. */
    room: (now: number): number => {
      const today = perDay - key.usedToday - acceptedWithin(DAY_SECONDS * 1000, now);
      return Math.max(0, Math.min(perMinute - acceptedWithin(MINUTE_SECONDS * 1000, now), today));
    },
    /** Timekeeper's milliseconds until which it was told to wait; 0 if it was never refused. */
    retryAt: (): number => retryAt,
    note: (exchange: Exchange, clock: ServerClock): void => {
      const { status } = exchange.response;
      if (isAccepted(exchange)) {
        acceptedAt.push(exchange.receivedAt);
      }
      if (isAccepted(exchange) || status === 400 || status === 404) {
        isRefused = false;
      } else if ([401, 403, 429].includes(status)) {
        // Any temporary ban has ended by then, even one that does not say how long it lasts.
        const untold = status !== 429 && isRefused ? LONGEST_TEMPORARY_SECONDS : MINUTE_SECONDS;
        isRefused = true;
        retryAt = Math.max(retryAt, exchange.receivedAt + (secondsToWait(exchange, clock) ?? untold) * 1000);
      }
    },
  });
}

interface Followed {
  readonly key: Key;
  /** While it is being revoked, it may be accepted or refused. */
  revocation: 'none' | 'under way' | 'done';
}

/** How a request presents its key. */
function credentialsOf(
  { key, revocation }: Followed,
  credential: PlannedCredential,
  { knownSecrets, revokedKeys }: Facts,
): Credentials {
  const spends = revocation === 'done' ? {} : { spends: key };
  if (credential === null) {
    return revocation === 'none' ? { key } : { ...asRevoked(key), ...spends };
  }
  const revoked = revokedKeys.map((earlier, index): CredentialVariant => ({
    name: `key revoked earlier, ${index + 1}`,
    authorization: [`Bearer ${earlier}`],
    reading: { level: 'must', expect: 401, requirement: 'revoked-key' },
  }));
  const { of, entry } = credential;
  const variants = [...credentialVariants(key.secret, knownSecrets), ...revoked].filter(
    ({ reading: { level } }) =>
      of === 'all' || level === 'should' || (of === 'spelled' && level === 'observe'),
  );
  const { authorization, name, reading } = entryAt(variants, entry);
  if (of === 'none' || authorization.length === 0) {
    return NO_KEY;
  }
  const labels = authorization.map(() => `[${key.label}: ${name}]`);
  return { authorization, labels, ...(reading.level === 'must' ? {} : spends) };
}
