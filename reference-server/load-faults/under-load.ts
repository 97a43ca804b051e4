import { setTimeout as sleep } from 'node:timers/promises';

import type { Alteration } from '../alterations/alteration.ts';
import type { Service } from '../service/messages.ts';
import { keyOf } from '../alterations/requests.ts';
import type { ServiceParts } from '../service/service.ts';
import type { KeyRecord } from '../service/key-store.ts';

const SERVICE_MILLISECONDS = 0.5;

/**
 * An alteration that depends on how many requests are under way. Every request waits in one queue, as for a database,
 * which lets 2,000 pass in a second: only so can requests be under way together.
 * @param start called once for each server
 */
export function alterUnderLoad(start: (load: CrowdMeter) => Alteration): Alteration {
  // Servers are composed without a pause, so they cannot mix it up.
  let begun: { readonly alteration: Alteration; readonly queue: (service: Service) => Service } | undefined;
  return {
    parts: (parts) => {
      const { load, ...meter } = createLoadMeter();
      const alteration = start(load);
      begun = { alteration, queue: (service) => withQueue(service, parts, meter) };
      return alteration.parts?.(parts) ?? {};
    },
    answers: (answers, parts) => begun?.alteration.answers?.(answers, parts) ?? {},
    service: (service, parts) => {
      const altered = begun?.alteration.service?.(service, parts) ?? service;
      return begun?.queue(altered) ?? altered;
    },
  };
}

function withQueue(
  service: Service,
  parts: ServiceParts,
  { enter, leave }: Pick<ReturnType<typeof createLoadMeter>, 'enter' | 'leave'>,
): Service {
  let freeAt = 0;
  return {
    ...service,
    respond: async (request) => {
      const key = keyOf(parts, request);
      enter(key);
      const now = performance.now();
      freeAt = Math.max(now, freeAt) + SERVICE_MILLISECONDS;
      await sleep(freeAt - now);
      try {
        return await service.respond(request);
      } finally {
        leave(key);
      }
    },
  };
}

/** How much a server has to do at the moment. */
export interface CrowdMeter {
  /** Whether more requests of a key are under way than a single client usually sends at once. */
  readonly isCrowdedBy: (key: KeyRecord | undefined) => boolean;
  /** The keys of which that is so. */
  readonly crowding: ReadonlySet<KeyRecord>;
  /** Whether there is such a key. */
  readonly isBusy: () => boolean;
  /** Keys with a request under way. */
  readonly activeKeys: () => number;
}

/** Above this number of requests of one key under way a server is busy; the ordinary checks keep below 30. */
export const MANY_REQUESTS = 40;

/** Counts the requests that are under way, key by key. */
export function createLoadMeter() {
  const counts = new Map<KeyRecord | undefined, number>();
  const crowding = new Set<KeyRecord>();

  function change(key: KeyRecord | undefined, step: number): void {
    const count = (counts.get(key) ?? 0) + step;
    if (count > 0) {
      counts.set(key, count);
    } else {
      counts.delete(key);
    }
    if (key !== undefined && count > MANY_REQUESTS) {
      crowding.add(key);
    } else if (key !== undefined) {
      crowding.delete(key);
    }
  }

  const load: CrowdMeter = {
    isCrowdedBy: (key) => (counts.get(key) ?? 0) > MANY_REQUESTS,
    crowding,
    isBusy: () => crowding.size > 0,
    activeKeys: () => counts.size - (counts.has(undefined) ? 1 : 0),
  };
  return {
    load,
    /** @param key `undefined` for a request without a valid one */
    enter: (key: KeyRecord | undefined): void => change(key, 1),
    leave: (key: KeyRecord | undefined): void => change(key, -1),
  };
}
