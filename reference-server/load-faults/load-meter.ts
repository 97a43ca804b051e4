import type { KeyRecord } from '../service/key-store.ts';

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

export interface LoadMeter {
  readonly load: CrowdMeter;
  /** @param key `undefined` for a request without a valid one */
  readonly enter: (key: KeyRecord | undefined) => void;
  readonly leave: (key: KeyRecord | undefined) => void;
}

/** Above this number of requests of one key under way a server is busy; the ordinary checks keep below 30. */
export const MANY_REQUESTS = 40;

/** Counts the requests that are under way, key by key. */
export function createLoadMeter(): LoadMeter {
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

  return {
    load: {
      isCrowdedBy: (key) => (counts.get(key) ?? 0) > MANY_REQUESTS,
      crowding,
      isBusy: () => crowding.size > 0,
      activeKeys: () => counts.size - (counts.has(undefined) ? 1 : 0),
    },
    enter: (key) => change(key, 1),
    leave: (key) => change(key, -1),
  };
}
