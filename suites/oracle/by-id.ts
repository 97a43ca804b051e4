const PLACES = 1_024;

/**
 * Keeps values by whole numbers that come in rising order and go soon. Each number has one place; a value whose place is taken stands in a map, which is slower.
 */
export function keepById<Value extends { readonly id: number }>() {
  const places = Array.from({ length: PLACES }, (): Value | undefined => undefined);
  const others = new Map<number, Value>();
  const placed = (id: number): Value | undefined => {
    const value = places[id % PLACES];
    return value?.id === id ? value : undefined;
  };
  return {
    get: (id: number): Value | undefined => placed(id) ?? (others.size === 0 ? undefined : others.get(id)),
    set: (value: Value): void => {
      const { id } = value;
      const place = id % PLACES;
      const there = places[place];
      if (there === undefined || there.id === id) {
        places[place] = value;
      } else {
        others.set(id, value);
      }
    },
    delete: (id: number): void => {
      if (placed(id) === undefined) {
        others.delete(id);
      } else {
        places[id % PLACES] = undefined;
      }
    },
  };
}
