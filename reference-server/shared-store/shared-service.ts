import { AsyncLocalStorage } from 'node:async_hooks';

import { readKey } from '../service/authenticator.ts';
import { type BanRule, withBans, type Conduct } from '../service/bans.ts';
import type { MessageRefusal, Service, ServiceRequest, ServiceResponse } from '../service/messages.ts';
import type { Effect, SharedState } from './shared-state.ts';
import { StateLostError, StoreUnavailableError } from './connection.ts';
import { type RateLimiter, createRateLimiter } from '../service/rate-limiter.ts';
import { createInventoryView } from './inventory-view.ts';
import type { Replica } from './replica.ts';
import type { LimiterReply } from './replies.ts';
import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { fixedWindow, type WindowProgress } from '../service/window.ts';

export interface SharedServiceOptions {
  readonly state: SharedState;
  readonly ban: BanRule | false;
  readonly later: (effect: Effect) => void;
}

/**
 * Lets Redis decide on each request before the service answers it, and carry out what the answer says before it goes
 * out. If Redis cannot, the response is a 503.
 */
export function shareService(service: Service, options: SharedServiceOptions): Service {
  return {
    ...service,
    respond: (request) =>
      respondOrRefuse(service, () => respondOnOccasion(service, request, readKey(request) ?? '', options)),
  };
}

/** The same for the control contract. A reset also ends the state of having lost something. */
export function shareControl(control: Service, options: SharedServiceOptions): Service {
  return {
    ...control,
    respond: (request) =>
      respondOrRefuse(control, async () => {
        try {
          return await respondOnOccasion(control, request, '', options);
        } catch (error) {
          if (!(error instanceof StateLostError && isReset(request))) {
            throw error;
          }
          await options.state.recover();
          return respondOnOccasion(control, request, '', options);
        }
      }),
  };
}

async function respondOnOccasion(
  service: Service,
  request: ServiceRequest,
  key: string,
  { state, ban, later }: SharedServiceOptions,
): Promise<ServiceResponse> {
  const { replica } = state;
  const digest = key === '' ? '' : replica.keys.digestOf(key);
  const verdict = await state.decide(digest);
  const occasion = createOccasion({ key, digest, verdict, replica, ban, later });
  const answering = occasions.run(occasion, () => service.respond(request));
  occasion.letTimeFlow();
  const response = await answering;
  const effects = occasion.end();
  if (effects.length > 0) {
    await state.apply(effects);
  }
  return response;
}

async function respondOrRefuse(
  service: Service,
  respond: () => Promise<ServiceResponse>,
): Promise<ServiceResponse> {
  try {
    return await respond();
  } catch (error) {
    return service.refuse(refusalOf(error));
  }
}

const RETRY_AFTER = ['Retry-After', '1'] as const;

function refusalOf(error: unknown): MessageRefusal {
  if (error instanceof StateLostError) {
    return {
      status: 503,
      code: 'store_lost_state',
      message: 'The store has less than it had: the service waits for a reset.',
      headers: RETRY_AFTER,
    };
  }
  if (error instanceof StoreUnavailableError) {
    return {
      status: 503,
      code: 'store_unavailable',
      message: 'The store of the service does not answer. Try again in 1 s.',
      headers: RETRY_AFTER,
    };
  }
  throw error;
}

function isReset({ method, target }: ServiceRequest): boolean {
  return method === 'POST' && /^\/reset\/?(?:[?#]|$)/.test(target);
}

export type RequestOccasion = ReturnType<typeof createOccasion>;

export const occasions = new AsyncLocalStorage<RequestOccasion>();

export interface OccasionOptions {
  readonly key: string;
  readonly digest: string;
  readonly verdict: LimiterReply;
  readonly replica: Replica;
  readonly ban: BanRule | false;
  readonly later: (effect: Effect) => void;
}

/** What the parts of the service know while they work on one request, from Redis' verdict to the response. */
export function createOccasion(options: OccasionOptions) {
  const { key, digest, verdict, replica, ban, later } = options;
  const { usage } = verdict;
  const effects: Effect[] = [];
  const start = performance.now();
  let timeFlows = false;
  let advanced = 0;
  let isDecided = false;
  let hasEnded = false;

  const require = (effect: Effect): void => {
    if (hasEnded) {
      later(effect);
    } else {
      effects.push(effect);
    }
  };
  const limiter = resumeLimiter(readUsage(usage?.before ?? ''), ban);

  return {
    /** The key that the request carries; '' for none. */
    key,
    /** Of the key, if it is valid. */
    record: usage === undefined ? undefined : replica.keys.find(key, digest),
    keysVersion: verdict.keysVersion,
    /** The ordinary limiter as it stood before Redis decided on the request. */
    limiter,
    inventory: createInventoryView(replica, require),
    /** Unix seconds; stands still until the service has answered or begun to wait. */
    now: (): number => verdict.now + advanced + (timeFlows ? (performance.now() - start) / 1_000 : 0),
    letTimeFlow: (): void => {
      timeFlows = true;
    },
    advance: (seconds: number): void => {
      advanced += seconds;
    },
    /** Says that the service has made the decision that Redis made; whether it is the first time. */
    takeDecision: (): boolean => {
      const isFirst = !isDecided;
      isDecided = true;
      return isFirst;
    },
    /** Takes note of what Redis has to do before the response goes out. */
    require,
    /** What was required; what is required later goes to `later` at once. */
    end: (): readonly Effect[] => {
      hasEnded = true;
      if (usage !== undefined && !isDecided) {
        // An alteration has let the request pass by the limits: Redis takes its decision back.
        effects.push(['undo', digest, usage.before, usage.after, wasCounted(usage) ? '1' : '']);
      }
      return effects;
    },
  };
}

function wasCounted({ before, after }: { readonly before: string; readonly after: string }): boolean {
  return readUsage(before).day.used !== readUsage(after).day.used;
}

/** What a key has used of its limits, and how it behaved. */
export interface Usage {
  readonly minute: WindowProgress;
  readonly day: WindowProgress;
  readonly conduct: Conduct;
}

/** Reads what the scripts wrote; nothing is used if they wrote nothing. */
export function readUsage(text: string): Usage {
  const [minuteUsed = 0, minuteEnd = 0, dayUsed = 0, dayEnd = 0, refused = 0, bannedUntil = 0] =
    text === '' ? [] : text.split(' ').map(Number);
  return {
    minute: { used: minuteUsed, end: minuteEnd },
    day: { used: dayUsed, end: dayEnd },
    conduct: { refused, bannedUntil },
  };
}

/** The ordinary limiter, which goes on from a key's usage; it decides as the scripts did from the same usage on. */
export function resumeLimiter({ minute, day, conduct }: Usage, ban: BanRule | false): RateLimiter {
  const limiter = createRateLimiter((limit, seconds) =>
    fixedWindow(limit, {
      endOf: (now) => now + seconds,
      progress: seconds === MINUTE_SECONDS ? minute : day,
    }),
  );
  return withBans(limiter, ban, conduct);
}
