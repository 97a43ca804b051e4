const BRANCHES = 4;
const NEVER = Number.POSITIVE_INFINITY;

/**
 * Moments at which something is due, each for an id; a heap in which every entry has four below it.
 * @param capacity most entries at once
 */
export function createEventQueue(capacity: number) {
  const moments = new Float64Array(capacity);
  const ids = new Int32Array(capacity);
  let size = 0;

  function momentAt(place: number): number {
    return moments[place] ?? NEVER;
  }

  function idAt(place: number): number {
    return ids[place] ?? -1;
  }

  /** Whether the entry at that place is due before another. */
  function isBefore(place: number, seconds: number, id: number): boolean {
    const moment = momentAt(place);
    return moment < seconds || (moment === seconds && idAt(place) < id);
  }

  function put(place: number, seconds: number, id: number): void {
    moments[place] = seconds;
    ids[place] = id;
  }

  /** Puts an entry at the top or below, from where the others move up. */
  function sink(seconds: number, id: number): void {
    let place = 0;
    for (;;) {
      const first = place * BRANCHES + 1;
      if (first >= size) {
        break;
      }
      const end = Math.min(first + BRANCHES, size);
      let least = first;
      for (let child = first + 1; child < end; child += 1) {
        if (isBefore(child, momentAt(least), idAt(least))) {
          least = child;
        }
      }
      if (!isBefore(least, seconds, id)) {
        break;
      }
      put(place, momentAt(least), idAt(least));
      place = least;
    }
    put(place, seconds, id);
  }

  return {
    size: (): number => size,
    /** The earliest moment; of equal ones, that of the lowest id. */
    seconds: (): number => (size === 0 ? NEVER : momentAt(0)),
    /** Of the earliest. */
    id: (): number => (size === 0 ? -1 : idAt(0)),
    add: (seconds: number, id: number): void => {
      let place = size;
      size += 1;
      while (place > 0) {
        const parent = Math.floor((place - 1) / BRANCHES);
        if (isBefore(parent, seconds, id)) {
          break;
        }
        put(place, momentAt(parent), idAt(parent));
        place = parent;
      }
      put(place, seconds, id);
    },
    /** Moves the earliest to another moment. */
    postpone: (seconds: number): void => sink(seconds, idAt(0)),
    removeEarliest: (): void => {
      size -= 1;
      if (size > 0) {
        sink(momentAt(size), idAt(size));
      }
    },
  };
}
